import { PROFILE_PARTS, type UserProfile } from '../../users/user-profile.ts';

interface ProfileColumn {
  name: string;
  part: keyof UserProfile;
}

/** Columns of the table of users that hold the parts of a profile. */
export const PROFILE_COLUMNS: readonly ProfileColumn[] = Object.entries(PROFILE_PARTS).map(
  ([part, { column }]) => ({ name: column, part: part as keyof UserProfile }),
);

/** SQL for all columns of a profile. */
export const PROFILE = PROFILE_COLUMNS.map(({ name }) => name).join(', ');

/** Returns the profile in a row of the table of users. A column without a value is null, or is missing. */
export const profileOf = (row: Readonly<Record<string, unknown>>): UserProfile =>
  Object.fromEntries(PROFILE_COLUMNS.map(({ name, part }) => [part, row[name] ?? undefined]));
