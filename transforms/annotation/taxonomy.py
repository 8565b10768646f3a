"""The classes that elements of a screen are labelled with (MUIAnno Table 3)."""

ELEMENT_CLASSES = (
    *("Accordion", "Avatar", "Badge", "Banner", "Button", "Card", "Checkbox", "Clickable Text"),
    *("Color Picker", "Dropdown Menu"),
    *("Illustration", "Image", "Label", "Loading Indicator", "Logo", "Map View", "Plain Text"),
    *("Status Dot", "Skeleton", "Icon"),
    *("Side Navigation", "Switch", "Tab", "Tab Bar", "Table", "Toolbar", "Top Navigation Bar"),
    *("Dialog",),
    *("Radio Button", "Search Bar", "Segmented Control", "Text Field", "Date Picker"),
    *("Time Picker", "Floating Action Button", "Gallery"),
)
"""All 36, in the paper's order of four groups."""
