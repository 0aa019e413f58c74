import type { UserState } from '../../imports/resolve/existing-logins.ts';

/** Columns that rows of password logins and of third-party logins share. */
export interface LoginRow {
  user_id: string;
  recipe_user_id: string;
  email: string;
  disabled: boolean;
  state_set_at: string | null;
  state_by_call: boolean;
}

/** The time is text, because a JavaScript date would lose its microseconds. */
export const STATE = 'disabled, state_set_at::text as state_set_at, state_by_call';

export const stateOf = (row: LoginRow): UserState => ({
  disabled: row.disabled,
  ...(row.state_set_at !== null && { setAt: row.state_set_at }),
  isByCall: row.state_by_call,
});

export const idsOf = (row: { user_id: string; recipe_user_id: string }) => ({
  userId: row.user_id,
  recipeUserId: row.recipe_user_id,
});
