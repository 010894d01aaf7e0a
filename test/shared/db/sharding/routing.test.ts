import { describe, expect, it } from '@jest/globals';
import { zoneOf } from '../../../../shared/db/sharding/placement.js';
import { routingOf } from '../../../../shared/db/sharding/routing.js';

const KEY = { tenant_id: 1, source_system: 1 } as const;

describe('the routing of a filter', () => {
  it.each([
    ['targeted', { tenant_id: 'a' }],
    ['targeted', { tenant_id: 'a', source_system: 's', seq: { $gt: 1 } }],
    ['targeted', { tenant_id: { $in: ['a', 'b'] } }],
    ['targeted', { tenant_id: { $eq: 'a' } }],
    ['targeted', { $and: [{ tenant_id: 'a' }, { outcome: 'approved' }] }],
    ['scattered', {}],
    ['scattered', { source_system: 's' }],
    ['scattered', { tenant_id: { $gt: 'a' } }],
    ['scattered', { _id: { $gte: { tenant_id: 'a' }, $lt: { tenant_id: 'b' } } }],
    ['scattered', { _id: { tenant_id: 'a', source_system: 's', seq: 1 } }],
    ['scattered', { $or: [{ tenant_id: 'a' }, { event_id: 'e' }] }],
  ] as const)('is %s for %j', (routing, filter) => {
    expect(routingOf(KEY, filter)).toBe(routing);
  });
});

describe('the zone of a tenant', () => {
  const tenants = Array.from({ length: 2_000 }, (_, n) => `tenant-${n}`);

  it('moves only to a new zone when one is added', () => {
    const [before, after] = [
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
    ];
    const moved = tenants.filter((tenant) => zoneOf(tenant, before) !== zoneOf(tenant, after));
    expect(moved.every((tenant) => zoneOf(tenant, after) === 'd')).toBe(true);
    expect(moved.length / tenants.length).toBeCloseTo(1 / 4, 1);
  });

  it('does not depend on the order of the zones', () => {
    for (const tenant of tenants) expect(zoneOf(tenant, ['a', 'b', 'c'])).toBe(zoneOf(tenant, ['c', 'a', 'b']));
    expect(() => zoneOf('a', [])).toThrow('needs a zone');
  });
});
