"""Prints a table of training steps on a card: times of ours from a file, and of PyTorch's that are measured here.

    python benches/gpu/steps/table.py ours.txt

A line of the file has the rows of a batch, a network, a method, and the time of a step in ms or `none`.
"""

import importlib.util
import pathlib
import sys


def torch_step():
    """The measurement of `benches/steps_against_torch.py`, which lies beside this file or two folders above."""
    here = pathlib.Path(__file__).resolve().parent
    places = (folder / "steps_against_torch.py" for folder in (here, here.parent.parent))
    place = next(place for place in places if place.exists())
    specification = importlib.util.spec_from_file_location("steps_against_torch", place)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.torch_step


def main() -> None:
    import torch

    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
    print("| batch | network | method | gaussform, ms | PyTorch, ms | ratio | by plain | PyTorch |")
    print("| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    measure = torch_step()
    plain = {}
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        batch, network, method, time = line.split()
        ours = float("nan") if time == "none" else float(time)
        # PyTorch's exact step has the approximation of the class likelihood.
        theirs, _ = measure(network, "exact" if method == "delta" else method, int(batch), True)
        if method == "plain":
            plain[batch, network] = (ours, theirs)
        base = plain.get((batch, network), (float("nan"), float("nan")))
        numbers = [f"{ours:.2f}", f"{theirs:.2f}", *(f"{x:.2f}" for x in (ours / theirs, ours / base[0], theirs / base[1]))]
        print(f"| {batch} | `{network}` | {method} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    main()
