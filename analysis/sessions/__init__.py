"""Process metrics over consultation sessions, and the safety critic; tables and pages are elsewhere."""
