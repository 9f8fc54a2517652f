"""The resume file: what was measured, a line each, as soon as it was."""

import json
import os


class Journal:
    """Records by what they are of."""

    def __init__(self, path, conditions):
        self.path, self.done = path, {}
        if not path.exists():
            self._append({"conditions": conditions})
            return
        with open(path, "rb+") as file:
            data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            file.truncate(len(whole))  # a line that an interruption cut off
        lines = [json.loads(line) for line in whole.splitlines()]
        if not lines:
            self._append({"conditions": conditions})
            return
        found = lines[0].get("conditions")
        if found != conditions:
            raise SystemExit(f"{path}:1: measured under {found}, not {conditions}: choose another --out")
        for line in lines[1:]:
            self.done[tuple(line["of"])] = line["records"]

    def get(self, of):
        """The records of a task, None if it was never begun."""
        return self.done.get(of)

    def better(self, of, records):
        """These records of a task, and in place of what is refused now what an earlier
        run measured."""
        before = {r["quantity"]: r for r in self.done.get(of, []) if r["value"] is not None or "layers" in r}
        return [before.get(r["quantity"], r) if r["note"].startswith("refused") else r for r in records]

    def put(self, of, records):
        self.done[of] = records
        self._append({"of": of, "records": records})

    def _append(self, line):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())


def wanting(records):
    """Whether a part of a task was refused or failed."""
    return any(r["note"].startswith(("refused", "failed")) for r in records)
