import { PROFILE_PARTS, type UserProfile } from '../../users/user.ts';

interface ProfileColumn {
  name: string;
  part: keyof UserProfile;
}

export const PROFILE_COLUMNS: readonly ProfileColumn[] = Object.entries(PROFILE_PARTS).map(
  ([part, { column }]) => ({ name: column, part: part as keyof UserProfile }),
);

export const PROFILE = PROFILE_COLUMNS.map(({ name }) => name).join(', ');

/** A column of the row may be missing, or null. */
export const profileOf = (row: Readonly<Record<string, unknown>>): UserProfile =>
  Object.fromEntries(PROFILE_COLUMNS.map(({ name, part }) => [part, row[name] ?? undefined]));
