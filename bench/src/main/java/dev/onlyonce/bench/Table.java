package dev.onlyonce.bench;

/** A part of the report. */
interface Table {

  String title();

  /** Measures in so many rounds and returns the table as Markdown. */
  String measure(int rounds) throws Exception;
}
