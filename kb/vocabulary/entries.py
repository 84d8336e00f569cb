"""The closed lists of what an entry may be: its kind, the grade of its evidence, the languages it is written in."""

KINDS = ("case", "recipe", "pattern", "tip")
GRADES = ("vendor", "third-party", "stated", "practice")
# Who can carry out an advice: as users say it, and as entries do.
AUDIENCES = {"kernel": "kernel-developer", "model": "model-developer", "deployment": "deployment"}
LANGUAGES = ("en", "zh", "ja")  # of entries, of answers and of questions; English is the fallback
