import type { TSchema } from '@sinclair/typebox';

/**
 * The OpenAPI description shows this keyword's value instead of the field's schema, which accepts any text if
 * code checks the field with better error messages.
 */
export const DOCUMENTED_AS = 'documentedAs';

/** Replaces schemas by their `documentedAs`, at any depth. */
export function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED_AS]: better, description, ...rest } = schema as Partial<TSchema>;
  const whole = { ...(description !== undefined && { description }), ...(better ?? rest) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, documented(value)]));
}
