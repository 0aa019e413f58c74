import type { SourceRecord } from '../containers/table.ts';
import { ownStateReader } from '../fields/own-state.ts';
import { gravestState } from '../fields/read-state.ts';
import type { Form, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Returns a function that reads the users of a table, including states in columns that the app added. */
export function userReader(
  form: Form,
  context: ReadContext,
): (record: SourceRecord) => SourceUser | undefined {
  const readState =
    form.ownStates === undefined ? undefined : ownStateReader(context.table, form.ownStates, context);
  return (record) => {
    const user = form.read(record, context);
    if (user === undefined) return undefined;
    if (readState !== undefined) user.state = gravestState([user.state, readState(record)]);
    // A confirmation of the e-mail address does not apply to an address made from a name.
    if (user.emailFromName !== undefined) user.isVerified = undefined;
    return user;
  };
}
