import { describe, expect, it } from '@jest/globals';
import { Arg, Int, Query, Resolver } from 'type-graphql';
import { ContractField, fieldsOf } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { stepOf } from '../../../shared/graph/step-type.js';
import { buildGraph } from '../../../shared/graph/subgraph.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { showing } from '../../../shared/records/shown.js';

abstract class ParcelMembers {
  @Member(() => String, { description: 'Kind.', enum: ['BOX', 'BAG'] })
  kind!: 'BOX' | 'BAG';

  @Member(() => String, { description: 'Label.', nullable: true, maxLength: 10, example: 'x' })
  label!: string | null;

  @Member(() => Int, { description: 'Weight.', minimum: 0 })
  weight!: number;
}

@RecordInput({ description: 'A new parcel.' })
class ParcelInput extends inputOf(ParcelMembers, { weight: 0 }) {}

@RecordInput({ description: 'Changes of a parcel.' })
class ParcelPatch extends patchOf(ParcelMembers, 'kind') {
  @ContractField(() => Int, { description: 'Revision.', optional: true, minimum: 1 })
  revision?: number;
}

@RecordType({ description: 'A parcel.' })
class Parcel extends outputOf(ParcelMembers) {
  @ContractField(() => String, { description: 'Identifier.' })
  parcel_id!: string;

  @ContractField(() => [String], { description: 'Actions.' })
  allowed_actions!: string[];

  @ContractField(() => String, { description: 'Time.', nullable: true, format: 'date-time' })
  sent_at!: string | null;
}

@Resolver()
class ParcelResolver {
  @Query(() => Parcel, { description: 'Echo.', nullable: true })
  parcel(
    @Arg('input', () => ParcelInput, { description: 'Input.' }) _input: ParcelInput,
    @Arg('patch', () => ParcelPatch, { description: 'Patch.' }) _patch: ParcelPatch,
  ): Parcel | null {
    return null;
  }
}

const schemas = async () => {
  const definition = { name: 'ledger', resolvers: [ParcelResolver] } as const;
  const graph = await buildGraph(definition, { get: () => new ParcelResolver() });
  return graph.contract.document.components.schemas;
};

describe('classes that derive from one class of members', () => {
  it('require in the input every member that is neither nullable nor has a default', async () => {
    expect((await schemas())['ParcelInput']).toMatchObject({
      required: ['kind'],
      additionalProperties: false,
      properties: {
        kind: { type: 'string', enum: ['BOX', 'BAG'] },
        label: { type: 'string', maxLength: 10 },
        weight: { type: 'integer', minimum: 0 },
      },
    });
  });

  it('make every member of the patch optional, nullable ones nullable, and leave fixed ones out', async () => {
    const { properties, required } = (await schemas())['ParcelPatch'] ?? {};
    expect(required).toBeUndefined();
    expect(Object.keys(properties as object).sort()).toEqual(['label', 'revision', 'weight']);
    expect(properties).toMatchObject({ label: { type: ['string', 'null'], maxLength: 10 }, weight: { minimum: 0 } });
  });

  it('show answers without the limits of an input, but with its closed sets of words', async () => {
    const { properties, required } = (await schemas())['Parcel'] ?? {};
    expect(required).toEqual(expect.arrayContaining(['kind', 'label', 'weight', 'parcel_id']));
    expect(properties).toMatchObject({
      kind: { enum: ['BOX', 'BAG'] },
      label: { type: ['string', 'null'], description: 'Label.', examples: ['x'] },
    });
    expect((properties as Record<string, object>)['label']).not.toHaveProperty('maxLength');
    // The bounds of the graph's Int, not those of the input.
    expect(properties).toMatchObject({ weight: { minimum: -2_147_483_648, maximum: 2_147_483_647 } });
  });
});

describe('complete and given', () => {
  it('complete an input by defaults and nulls', () => {
    expect(ParcelInput.complete({ kind: 'BOX' })).toEqual({ kind: 'BOX', label: null, weight: 0 });
    expect(ParcelInput.complete({ kind: 'BOX', label: '', weight: 3 })).toEqual({ kind: 'BOX', label: '', weight: 3 });
  });

  it('take from a patch the members that it contains, null included', () => {
    const patch: ParcelPatch = { label: null, revision: 3 };
    expect(ParcelPatch.given(patch)).toEqual({ label: null });
  });
});

describe('stepOf', () => {
  it('declares the members that answers show of every step', () => {
    class ShownStep extends stepOf(['NEW', 'SENT'], 'create') {}
    RecordType({ description: 'A step of a parcel.' })(ShownStep);
    expect([...fieldsOf(ShownStep).keys()]).toEqual(['revision', 'action', 'from', 'to', 'at', 'by', 'actor_id']);
    expect(fieldsOf(ShownStep).get('from')?.options).toMatchObject({ nullable: true, enum: ['NEW', 'SENT'] });
  });
});

describe('rowCheckOf', () => {
  const check = rowCheckOf(Parcel, { own: { sealed: 'bytes', seen_at: 'time?' }, omitted: ['label'] });
  const row = { parcel_id: 'p', kind: 'BOX', weight: 1, sent_at: new Date(0), sealed: Buffer.of(1), seen_at: null };

  it('accepts a row that fits the class and its own members', () => {
    expect(() => check(row)).not.toThrow();
    expect(() => check({ ...row, sent_at: null })).not.toThrow();
  });

  it('accepts a row without an optional own member, and checks the member where the row has it', () => {
    const own = { sealed: 'bytes', seen_at: 'time?', place: 'number' } as const;
    const lenient = rowCheckOf(Parcel, { own, optional: ['place'], omitted: ['label'] });
    expect(() => lenient(row)).not.toThrow();
    expect(() => lenient({ ...row, place: 1 })).not.toThrow();
    expect(() => lenient({ ...row, place: '1' })).toThrow('member place');
  });

  it.each([
    ['an unknown member', { ...row, other: 1 }, 'unknown member other'],
    ['a member that the row does not store', { ...row, label: 'x' }, 'unknown member label'],
    ['a missing member', { ...row, kind: undefined }, 'member kind'],
    ['a null that the class does not allow', { ...row, weight: null }, 'member weight'],
    ['text in place of a number', { ...row, weight: '1' }, 'member weight'],
    ['text in place of a time', { ...row, sent_at: '2026-01-01T00:00:00Z' }, 'member sent_at'],
    ['text in place of bytes', { ...row, sealed: 'x' }, 'member sealed'],
  ])('throws for %s, without the value', (_case, wrong, message) => {
    expect(() => check(wrong)).toThrow(message);
  });
});

describe('showing', () => {
  const shown = showing(Parcel, (_row: Parameters<typeof rowOf>[0]) => ({ allowed_actions: ['send'] }));
  const rowOf = (row: {
    readonly parcel_id: string;
    readonly kind: 'BOX' | 'BAG';
    readonly label: string | null;
    readonly weight: number;
    readonly sent_at: Date | null;
    readonly secret: string;
  }) => row;
  const row = rowOf({ parcel_id: 'p', kind: 'BAG', label: null, weight: 2, sent_at: new Date(0), secret: 's' });

  it('maps the members of the class, with times as text, and leaves private members out', () => {
    expect(shown(row)).toEqual({
      parcel_id: 'p',
      kind: 'BAG',
      label: null,
      weight: 2,
      sent_at: '1970-01-01T00:00:00.000Z',
      allowed_actions: ['send'],
    });
  });
});
