"""Packaging: exactly the three roots, as installed by people and by Beam's workers."""

from setuptools import find_packages, setup

ROOTS = ("pipelines", "schemas", "transforms")

setup(
    packages=find_packages(include=[pattern for root in ROOTS for pattern in (root, f"{root}.*")]),
    package_data={
        "pipelines": ["manifests/*.yaml"],
        "pipelines.pages": ["templates/*"],
        "transforms.annotation.label_studio": ["configs/*.xml"],
        "transforms.short_answers": ["templates/*.txt"],
    },
)
