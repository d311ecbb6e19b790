"""Prints name, version and licence of the packages of a requirements file, as they say themselves."""

import importlib.metadata as metadata
import json
import re
import sys

# Packages that name no licence in a field or classifier, after reading their files.
READ_BY_US = {}


def licence(package):
    fields = package.metadata
    if expression := fields.get("License-Expression"):
        return expression
    classifiers = [c.split(" :: ")[-1] for c in fields.get_all("Classifier") or [] if c.startswith("License :: ")]
    names = [c for c in classifiers if c != "OSI Approved"]
    if names:
        return ", ".join(names)
    text = (fields.get("License") or "").strip()
    return text if text and "\n" not in text and len(text) < 60 else READ_BY_US.get(fields["Name"], "")


def main():
    packages = []
    for line in open(sys.argv[1], encoding="utf-8"):
        if match := re.match(r"^([A-Za-z0-9._-]+)==(\S+)", line):
            try:
                package = metadata.distribution(match[1])
            except metadata.PackageNotFoundError:
                continue  # for another system
            if all(match[1] != p["Name"] for p in packages):
                packages.append({"Name": match[1], "Version": package.version, "Licence": licence(package)})
    json.dump(packages, sys.stdout, indent=1)


main()
