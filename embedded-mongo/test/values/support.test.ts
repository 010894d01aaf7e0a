import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../commands/registry.js';
import * as mongodb from '../../support/mongodb-names.js';
import { NOTES } from '../../support/mongodb-names.js';
import { optionRows, supportGroups, withSupportTable } from '../../support/table.js';

const supportOf = (title: string, name: string) =>
  supportGroups()
    .find((group) => group.title === title)
    ?.entries.find((entry) => entry.name === name)?.support;

describe('the support table', () => {
  it('is current in the README (otherwise run `npm run docs:db`)', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(withSupportTable(readme)).toBe(readme);
  });

  it('lists every name of MongoDB 8.0 and of this package', () => {
    const named = (title: string) =>
      supportGroups()
        .find((group) => group.title === title)
        ?.entries.map(({ name }) => name);
    expect(named('Commands')).toEqual(
      expect.arrayContaining([...mongodb.commandNames, ...COMMANDS.map(({ name }) => name)]),
    );
    expect(named('Stages')).toEqual(expect.arrayContaining([...mongodb.stageNames]));
    expect(named('Expressions')).toEqual(expect.arrayContaining([...mongodb.expressionNames]));
    expect(optionRows().map(({ command }) => command)).toEqual(
      expect.arrayContaining(Object.keys(mongodb.COMMAND_OPTIONS)),
    );
  });

  it('agrees with the parsers', () => {
    expect(supportOf('Stages', '$out')).toBe('partly');
    expect(supportOf('Stages', '$setWindowFields')).toBe('partly');
    expect(supportOf('Stages', '$geoNear')).toBe('refused');
    expect(supportOf('Expressions', '$function')).toBe('refused');
    expect(supportOf('Query operators', '$where')).toBe('refused');
    expect(supportOf('Query operators', '$elemMatch')).toBe('supported');
    expect(supportOf('Update operators', '$bit')).toBe('supported');
    expect(supportOf('Commands', 'shardCollection')).toBe('refused');
    expect(supportOf('Indexes', '2dsphere')).toBe('refused');
  });

  it('explains only supported names', () => {
    for (const [title, named] of Object.entries(NOTES)) {
      for (const name of Object.keys(named))
        expect([title, name, supportOf(title, name)]).toEqual([title, name, 'partly']);
    }
  });
});
