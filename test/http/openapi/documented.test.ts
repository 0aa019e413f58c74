import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { documented } from '../../../src/http/openapi/openapi.ts';

const Field = Type.String({
  maxLength: 9,
  description: 'A number.',
  documentedAs: Type.Integer({ maximum: 9 }),
});

it('replaces a schema by the documented one, and keeps the description', () => {
  expect(documented(Field)).toEqual({ description: 'A number.', type: 'integer', maximum: 9 });
});

it('does so at any depth, also inside a documented schema', () => {
  const schema = Type.Object({
    list: Type.Array(Type.Unknown(), {
      documentedAs: Type.Array(Type.Union([Field, Type.Null()]), { minItems: 1 }),
    }),
    description: Field,
  });
  const shown = { description: 'A number.', type: 'integer', maximum: 9 };
  expect(documented(schema)).toEqual({
    type: 'object',
    required: ['list', 'description'],
    properties: {
      list: { type: 'array', minItems: 1, items: { anyOf: [shown, { type: 'null' }] } },
      description: shown,
    },
  });
});
