/** Returns the id of user `n`. */
export const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString().padStart(12, '0')}`;

/** Returns the numbers from which `idOf` made the ids. */
export const numbersOf = (users: { id: string }[]) => users.map(({ id }) => Number(id.slice(-12)));
