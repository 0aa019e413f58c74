/** One text for one person at a provider; the length keeps `a`+`bc` and `ab`+`c` apart. */
export function identityKey(identity: { id: string; userId: string }): string {
  return `${identity.id.length}:${identity.id}${identity.userId}`;
}
