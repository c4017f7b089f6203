# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of docs/scaling.md: solves over devices by the model and as measured, and which coupling wins. As those of
performance_cards.py it has its values as text, too, by which scripts/scaling_page.py tells whether it has to be drawn again."""

import performance_cards as cards
from scaling_model import COUPLINGS, OUTLOOK, per_device

NAME = "scaling"
TITLE = "Solves over devices, for as much convergence: model, measured on one, two and four H100, and which coupling wins"
ACROSS = "devices"
EDGES = (64, 128, 256)
DEVICES = tuple(2**exponent for exponent in range(11))
KINDS = {"weak": "on each", "strong": "in all"}
ROWS = {"weak": "box on each device:\ntime over that of one", "strong": "box in all:\ntimes as fast as one"}
STYLES = {"coloured": (cards.RED, "--"), "none": (cards.GREEN, ":")}
NATURAL, BY_FLOW, OTHERS = "natural wins", "it depends on the flow", "coloured or none wins"
BEHIND = {NATURAL: cards.SKY, BY_FLOW: cards.YELLOW, OTHERS: cards.GREY}


def devices_of(kind, edge):
    """A device has at least a layer."""
    return [devices for devices in DEVICES if kind == "weak" or devices <= edge]


def relative(kind, seconds, one):
    return seconds / one if kind == "weak" else one / seconds


def time(fit, coupling, flow, kind, edge, devices):
    """Of a solve, for as much convergence."""
    return fit.for_convergence(coupling, flow, per_device(kind, (edge,) * 3, devices), devices)


def values(fit, kind, edge):
    """{label: {devices: value}} of a panel; the couplings that are not natural have a least and a most."""
    one = fit.time("natural", (edge,) * 3, 1)
    curves = {"natural": ("natural", 0)}
    for name in COUPLINGS:
        curves |= {f"{name}, {bound} flow": (name, flow) for flow, bound in enumerate(("kindest", "hardest"))}
    found = {
        label: {devices: relative(kind, time(fit, *curve, kind, edge, devices), one) for devices in devices_of(kind, edge)}
        for label, curve in curves.items()
    }
    times = fit.natural_times[OUTLOOK]
    if ("one", (edge,) * 3, 1) in times:
        measured_one = times["one", (edge,) * 3, 1]
        kinds = {(kind_of, devices): t for (kind_of, box, devices), t in times.items() if box == (edge,) * 3}
        found["natural, measured"] = {
            devices: relative(kind, t, measured_one) for (kind_of, devices), t in sorted(kinds.items()) if kind_of in ("one", kind)
        }
    return found


def winner(fit, kind, edge, devices):
    """In all flows between the kindest and the hardest, or in some."""
    natural = time(fit, "natural", 0, kind, edge, devices)
    others = [min(time(fit, name, flow, kind, edge, devices) for name in COUPLINGS) for flow in (0, 1)]
    return NATURAL if natural <= others[0] else BY_FLOW if natural <= others[1] else OTHERS


def winners(fit, kind, edge):
    """{who wins: [from, to]} of devices, each number of them looked at."""
    found = {}
    for devices in range(1, devices_of(kind, edge)[-1] + 1):
        # In all, as many devices as divide the layers.
        if kind == "strong" and edge % devices != 0:
            continue
        found.setdefault(winner(fit, kind, edge, devices), [devices, devices])[1] = devices
    return found


def text(fit):
    """All that the picture shows but how it looks."""
    lines = [f"{TITLE}; {ACROSS}"]
    for kind, heading in ROWS.items():
        for edge in EDGES:
            where = f"{heading.replace(chr(10), ' ')} | {edge}^3"
            for label, of_label in values(fit, kind, edge).items():
                lines.append(f"{where} | {label} | " + ", ".join(f"{devices}: {value:.3f}" for devices, value in of_label.items()))
            lines += [f"{where} | {who} | {first} to {last}" for who, (first, last) in winners(fit, kind, edge).items()]
    return "\n".join(lines)


def is_drawn(fit):
    return cards.drawn_text(NAME) == text(fit)


# Drawing -------------------------------------------------------------------------------------------------------------


def draw_panel(axes, found, spans, most):
    spans = list(spans.items())
    for number, (who, (first, last)) in enumerate(spans):
        # Borders lie between two numbers of devices.
        left = 0.8 if number == 0 else (first * spans[number - 1][1][1]) ** 0.5
        right = 1.25 * most if number + 1 == len(spans) else (last * spans[number + 1][1][0]) ** 0.5
        axes.axvspan(left, right, color=BEHIND[who], alpha=0.18, linewidth=0, label=who)
    for name in COUPLINGS:
        kindest, hardest = (found[f"{name}, {bound} flow"] for bound in ("kindest", "hardest"))
        at = list(kindest)[1:]
        bounds = [[of_bound[devices] for devices in at] for of_bound in (kindest, hardest)]
        colour, dash = STYLES[name]
        axes.fill_between(at, *bounds, color=colour, alpha=0.12, linewidth=0)
        for bound, label in zip(bounds, (f"{name}, kindest and hardest flow", None)):
            axes.plot(at, bound, color=colour, linestyle=dash, linewidth=1, label=label)
    axes.plot(found["natural"].keys(), found["natural"].values(), color=cards.BLUE, label="natural, model")
    if points := found.get("natural, measured"):
        axes.plot(points.keys(), points.values(), "o", color="black", markersize=4, label="natural, measured")


def draw(fit):
    plt = cards.pyplot()
    width, height = 8.0, 4.8
    figure, grid = plt.subplots(len(ROWS), len(EDGES), figsize=(width, height), sharex=True, sharey="row")
    # Matplotlib's own layouts differ in last bits from run to run.
    figure.subplots_adjust(0.8 / width, 0.95 / height, 1 - 0.1 / width, 1 - 0.55 / height, wspace=0.07, hspace=0.1)
    for axes_of_row, (kind, heading) in zip(grid, ROWS.items()):
        for axes, edge in zip(axes_of_row, EDGES):
            draw_panel(axes, values(fit, kind, edge), winners(fit, kind, edge), devices_of(kind, edge)[-1])
            axes.set_xscale("log", base=2)
            axes.set_yscale("log", base=2)
            axes.set_xlim(0.8, 1.25 * DEVICES[-1])
            axes.set_xticks(DEVICES[::2], [str(devices) for devices in DEVICES[::2]])
            axes.set_ylim(*((0.8, 24) if kind == "weak" else (0.7, 64)))
            ticks = (1, 2, 4, 8, 16, 32)[: 5 if kind == "weak" else 6]
            axes.set_yticks(ticks, [str(tick) for tick in ticks])
            axes.minorticks_off()
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
        axes_of_row[0].set_ylabel(heading)
    for top, bottom, edge in zip(grid[0], grid[-1], EDGES):
        top.set_title(f"{edge}³ points")
        bottom.set_xlabel(ACROSS)
    figure.suptitle(TITLE, y=1 - 0.08 / height, va="top", fontsize=9)
    labelled = {label: handle for axes in grid.flat for handle, label in zip(*axes.get_legend_handles_labels())}
    curves = [label for label in labelled if label not in BEHIND]
    for labels, place in ((curves, 0.2), (BEHIND, 0.02)):
        handles = [labelled[label] for label in labels]
        figure.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.5, place / height), ncol=4, frameon=False)
    cards.save(figure, NAME, TITLE, text(fit))
