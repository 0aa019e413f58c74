import type { SourceRecord } from '../containers/table.ts';
import { ownStateReader } from '../fields/own-state.ts';
import { gravestState } from '../fields/read-state.ts';
import type { Form, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Returns a function that reads the users of a table, with the states that columns of the app tell. */
export function userReader(
  form: Form,
  context: ReadContext,
): (record: SourceRecord) => SourceUser | undefined {
  if (form.ownStates === undefined) return (record) => form.read(record, context);
  const readState = ownStateReader(context.table, form.ownStates, context);
  return (record) => {
    const user = form.read(record, context);
    if (user !== undefined) user.state = gravestState([user.state, readState(record)]);
    return user;
  };
}
