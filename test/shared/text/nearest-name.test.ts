import { describe, expect, it } from '@jest/globals';
import { nearestName } from '../../../shared/text/nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['ur', 'url'],
    ['urll', 'url'],
    ['memberId', 'member_id'],
    ['event_famly', 'event_family'],
    ['logik', 'logic'],
    ['tenant_di', 'tenant_id'],
    ['colour', undefined],
    ['id', undefined],
    ['url', undefined],
    ['x'.repeat(65), undefined],
  ])('finds for %s the known name %s', (name, expected) => {
    const known = ['url', 'member_id', 'event_family', 'logic', 'tenant_id'];
    expect(nearestName(name, known)).toBe(expected);
  });
});
