"""Runs the code of a notebook, cell after cell, as one program: python cells.py quickstart.ipynb. It needs no Jupyter."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    notebook = json.load(f)
names = {"__name__": "__main__"}
for number, cell in enumerate(notebook["cells"]):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"{sys.argv[1]}, cell {number}", "exec"), names)
