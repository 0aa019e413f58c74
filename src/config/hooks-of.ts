import { HOOKS, type Hook } from '../hooks/moves.ts';
import type { Config } from './schema.ts';

/** Returns the hooks that the setting `password_hooks` names. */
export function hooksOf({ password_hooks: served = [] }: Pick<Config, 'password_hooks'>): Hook[] {
  const names: readonly string[] =
    typeof served === 'string' ? served.split(',').map((name) => name.trim()) : served;
  return HOOKS.filter((hook) => names.includes(hook));
}
