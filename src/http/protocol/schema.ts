import {
  type IntegerOptions,
  type SchemaOptions,
  type StringOptions,
  type TProperties,
  Type,
} from '@sinclair/typebox';

export const string = (description: string, options: StringOptions = {}) =>
  Type.String({ description, ...options });

export const integer = (description: string, options: IntegerOptions = {}) =>
  Type.Integer({ description, ...options });

export const flag = (description: string, options: SchemaOptions = {}) =>
  Type.Boolean({ description, ...options });

export const oneOf = <const Value extends string>(values: readonly Value[], options: SchemaOptions = {}) =>
  Type.Unsafe<Value>(Type.String({ enum: [...values], ...options }));

export const optional = Type.Optional;

export const Time = integer('ms since the epoch');

/** Answer with the status `OK`. */
export const ok = <Members extends TProperties>(members: Members) =>
  Type.Object({ status: Type.Literal('OK'), ...members });

/** Answer with the status `OK` and the members, or with one of the other statuses and no members. */
export const okOr = <const Status extends string, Members extends TProperties>(
  others: readonly Status[],
  members: Members,
) => Type.Object({ status: oneOf(['OK', ...others]), ...Type.Partial(Type.Object(members)).properties });
