import type { SourceRecord } from '../containers/table.ts';
import { ownStateReader } from '../fields/own-state.ts';
import { gravestState } from '../fields/read-state.ts';
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
  const readState =
    form.ownStates === undefined ? undefined : ownStateReader(context.table, form.ownStates, context);
  return (record) => {
    const realm = realmOf?.(record);
    if (realm !== undefined) seeRealm?.(realm);
    if (!isWantedRealm(realm, context.settings)) {
      context.drop('other tenants');
      return undefined;
    }
    const user = form.read(record, context);
    if (user === undefined) return undefined;
    if (readState !== undefined) user.state = gravestState([user.state, readState(record)]);
    // The export's "verified" is about the e-mail address, and not about one made from a user name.
    if (user.emailFromName !== undefined) user.isVerified = undefined;
    return user;
  };
}
