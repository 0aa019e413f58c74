/** Numbers the parameters of a statement as they are added: `add(value)` returns `$n`. */
export class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
