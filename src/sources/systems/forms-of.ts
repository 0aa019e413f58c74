import type { ContainerName } from '../containers/table.ts';
import type { Form } from '../source.ts';

/** Tables that come in several containers: a form for each, as people call them by it. Details may be in any container. */
export function formsOf(
  names: Readonly<Partial<Record<ContainerName, string>>>,
  form: Omit<Form, 'name'>,
): readonly Form[] {
  return Object.entries(names).map(([container, name]) => ({
    ...form,
    name,
    isUsers: (table, around) => table.container === container && form.isUsers(table, around),
  }));
}
