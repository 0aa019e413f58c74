/** Parameters of an SQL statement. `add(value)` returns the placeholder `$n` of the value. */
export class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
