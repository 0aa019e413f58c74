import type { SourceRecord } from '../containers/table.ts';
import { gravestState } from '../fields/states.ts';
import { activeReader } from '../mapping/active.ts';
import { activeRules } from '../mapping/mapping.ts';
import type { Form, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { isWantedRealm, realmReader } from './realms.ts';

/**
 * Makes a reader of the users of the chosen realms, which also reads states in columns that the app added.
 * @param seeRealm called with the realm of each record, chosen or not
 */
export function userReader(
  form: Form,
  context: ReadContext,
  seeRealm?: (realm: string) => void,
): (record: SourceRecord) => SourceUser | undefined {
  const realmOf = realmReader(form, context);
  const rules = activeRules(context.settings);
  // For a table of one's own, the rules are all that is known about states.
  const readRules =
    rules.length === 0 || form.asksWhoMaySignIn ? undefined : activeReader(context.table, rules);
  return (record) => {
    const realm = realmOf?.(record);
    if (realm !== undefined) seeRealm?.(realm);
    if (!isWantedRealm(realm, context.settings)) {
      context.drop('other tenants');
      return undefined;
    }
    const user = form.read(record, context);
    if (user === undefined) return undefined;
    if (readRules !== undefined) user.state = gravestState([user.state, readRules(record, context.nowMs)]);
    // The export's "verified" is about the e-mail address, and not about one made from a user name.
    if (user.emailFromName !== undefined) user.isVerified = undefined;
    return user;
  };
}
