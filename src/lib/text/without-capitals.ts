/**
 * Returns names in lower case if none has another case, as Keycloak names all columns in MySQL. SQL takes them for the same.
 */
export const withoutCapitals = (names: readonly string[]): readonly string[] =>
  names.some((name) => /\p{Ll}/u.test(name)) ? names : names.map((name) => name.toLowerCase());
