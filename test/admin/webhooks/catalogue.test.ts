import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { faultsOfData } from '../../../shared/outbox/event-data.js';
import { bodyExampleOf, bodySchemaOf, EVENT_KIND_NAMES, EVENT_KINDS } from '../../../shared/outbox/event-kinds.js';

// Reads the catalogue as a receiver does, with an independent validator.
const ajv = new Ajv({ allErrors: true, strict: true });
(addFormats as unknown as (ajv: Ajv) => void)(ajv);

it('the catalogue has every kind of the specification, and checkpoints', () => {
  expect([...EVENT_KIND_NAMES].sort()).toEqual(
    [
      ...['event.ingested', 'event.duplicated', 'document.ingested', 'document.quarantined'],
      ...['bundle.requested', 'bundle.sealed', 'bundle.failed', 'rule.created', 'rule.updated'],
      ...['exception.opened', 'exception.resolved', 'legal-hold.created', 'legal-hold.released'],
      ...['advocacy.verdict', 'checkpoint.published'],
    ].sort(),
  );
});

describe.each(EVENT_KIND_NAMES)('%s', (kind) => {
  const { example } = EVENT_KINDS[kind];

  it('has an example that fits the published schema', () => {
    const validate = ajv.compile(bodySchemaOf(kind));
    expect({ fits: validate(bodyExampleOf(kind)), errors: validate.errors }).toEqual({ fits: true, errors: null });
    expect(faultsOfData(kind, example)).toEqual([]);
  });

  it('is rejected with an unknown, a missing or a malformed member', () => {
    expect(faultsOfData(kind, { ...example, member_id: 'M-1' })).toEqual(['/member_id unknown_field']);
    for (const name of Object.keys(example)) {
      const { [name]: _, ...rest } = example as Record<string, unknown>;
      expect(faultsOfData(kind, rest)).toEqual([`/${name} required`]);
      expect(faultsOfData(kind, { ...rest, [name]: null })).toEqual(expect.arrayContaining([`/${name} type`]));
    }
    for (const nothing of [null, [], 'data']) expect(faultsOfData(kind, nothing)).toEqual(['type']);
  });
});

it('times, hashes, counts and words are validated', () => {
  const checkpoint = EVENT_KINDS['checkpoint.published'].example;
  expect(faultsOfData('checkpoint.published', { ...checkpoint, root_hash: 'A3'.repeat(32) })).toEqual([
    '/root_hash pattern',
  ]);
  expect(faultsOfData('checkpoint.published', { ...checkpoint, tree_size: 1.5 })).toEqual(['/tree_size type']);
  expect(faultsOfData('legal-hold.created', { hold_id: 'hld_1', at: '2026-02-30T00:00:00Z' })).toEqual(['/at format']);
  const { example } = EVENT_KINDS['exception.opened'];
  expect(faultsOfData('exception.opened', { ...example, severity: 'DIRE' })).toEqual(['/severity enum']);
  expect(faultsOfData('event.duplicated', { event_ids: [1] })).toEqual(['/event_ids/0 type']);
});
