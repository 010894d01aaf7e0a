import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFile } from '../../app/repository.js';
import type { PersonRecord } from '../../subgraphs/members-graph/matching/domain/comparable.js';

// FEBRL's generated persons: `rec-N-org` is an original, `rec-N-dup-K` a damaged copy of it.

export interface FebrlRecord {
  /** Number of the person, equal for an original and its copies. */
  readonly truth: string;
  readonly record: PersonRecord;
}

const folder = repositoryFile('../shared/samples/mpi');
export const hasFebrl = existsSync(folder);

/** @param name file name, for example `febrl_dataset4a.csv` @param without omitted field, for example `soc_sec_id` */
export function readFebrl(name: string, without: ReadonlySet<string> = new Set()): readonly FebrlRecord[] {
  const [head = '', ...lines] = readFileSync(join(folder, name), 'utf8').trim().split('\n');
  const columns = head.split(',').map((column) => column.trim());
  return lines.map((line) => {
    const cells = line.split(',').map((cell) => cell.trim());
    const row = Object.fromEntries(columns.map((column, at) => [column, without.has(column) ? '' : (cells[at] ?? '')]));
    return { truth: (row['rec_id'] ?? '').split('-')[1] ?? '', record: recordOf(row) };
  });
}

function recordOf(row: Readonly<Record<string, string>>): PersonRecord {
  const of = (name: string): string => row[name] ?? '';
  return {
    family: of('surname'),
    given: of('given_name') === '' ? [] : [of('given_name')],
    birthDate: of('date_of_birth'),
    addresses: [
      {
        lines: [`${of('street_number')} ${of('address_1')}`.trim(), of('address_2')],
        city: of('suburb'),
        state: of('state'),
        postalCode: of('postcode'),
      },
    ],
    identifiers: of('soc_sec_id') === '' ? [] : [{ system: 'ssn', value: of('soc_sec_id') }],
  };
}
