import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { commands } from '../commands/registry.js';
import * as mongodb from '../support/mongodb-names.js';
import { notes } from '../support/notes.js';
import { withSupportTable } from '../support/readme.js';
import { optionRows, supportGroups } from '../support/table.js';

const supportOf = (title: string, name: string) =>
  supportGroups()
    .find((group) => group.title === title)
    ?.entries.find((entry) => entry.name === name)?.support;

describe('the table of what is supported', () => {
  test('is the one in the README (else run `npm run docs:db`)', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(withSupportTable(readme)).toBe(readme);
  });

  test('has every name of MongoDB 8.0 and every name of ours', () => {
    const named = (title: string) =>
      supportGroups()
        .find((group) => group.title === title)
        ?.entries.map(({ name }) => name);
    expect(named('Commands')).toEqual(
      expect.arrayContaining([...mongodb.commandNames, ...commands.map(({ name }) => name)]),
    );
    expect(named('Stages')).toEqual(expect.arrayContaining([...mongodb.stageNames]));
    expect(named('Expressions')).toEqual(expect.arrayContaining([...mongodb.expressionNames]));
    expect(optionRows().map(({ command }) => command)).toEqual(
      expect.arrayContaining(Object.keys(mongodb.commandOptions)),
    );
  });

  test('calls refused what the parsers refuse, and supported what they take', () => {
    expect(supportOf('Stages', '$setWindowFields')).toBe('partly');
    expect(supportOf('Stages', '$geoNear')).toBe('refused');
    expect(supportOf('Expressions', '$function')).toBe('refused');
    expect(supportOf('Query operators', '$where')).toBe('refused');
    expect(supportOf('Query operators', '$elemMatch')).toBe('supported');
    expect(supportOf('Update operators', '$bit')).toBe('supported');
    expect(supportOf('Commands', 'shardCollection')).toBe('refused');
    expect(supportOf('Indexes', '2dsphere')).toBe('refused');
  });

  test('explains only names that are there and supported', () => {
    for (const [title, named] of Object.entries(notes)) {
      for (const name of Object.keys(named))
        expect([title, name, supportOf(title, name)]).toEqual([title, name, 'partly']);
    }
  });
});
