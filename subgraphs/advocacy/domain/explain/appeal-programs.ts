import type { AppealEdition, AppealLevel, AppealProgram, AppealRightsData } from './explain-data.js';

/** What an event tells of its programme. */
export interface ProgramTold {
  readonly program: string | null;
  /** The sender's own code of it. */
  readonly programCode: string | null;
  readonly jurisdiction: string | null;
  readonly isPharmacy: boolean;
}

/** A programme that the event may be of, as it was on a day. */
export interface ProgramThen {
  readonly program: AppealProgram;
  readonly edition: AppealEdition;
  /** With what the state has otherwise. */
  readonly levels: readonly AppealLevel[];
}

/** TOLD: one programme. SEVERAL: the word stands for these. UNKNOWN: no programme is named. NO_DATA: nothing on file of it. */
export interface ProgramsFound {
  readonly found: 'TOLD' | 'SEVERAL' | 'UNKNOWN' | 'NO_DATA';
  readonly programs: readonly ProgramThen[];
}

/** Which programme's rights apply on a day. What the event does not tell is not guessed. */
export function appealPrograms(data: AppealRightsData, told: ProgramTold, day: string | null): ProgramsFound {
  const word = told.program?.toUpperCase().replace(/[^A-Z0-9]+/g, '_') ?? '';
  if (word === '' || word === 'UNKNOWN' || word === 'OTHER') return { found: 'UNKNOWN', programs: [] };
  const programs = namesOf(data, word, told).flatMap((name) => then(data, name, told.jurisdiction, day));
  if (programs.length === 0) return { found: 'NO_DATA', programs };
  return { found: programs.length === 1 ? 'TOLD' : 'SEVERAL', programs };
}

/** A code narrows what a word stands for; then the counter of a pharmacy does. */
function namesOf(data: AppealRightsData, word: string, { programCode, isPharmacy }: ProgramTold): readonly string[] {
  const several = data.words.get(word);
  const byCode = several?.by_code?.[programCode?.toUpperCase() ?? ''];
  if (byCode !== undefined) return byCode;
  if (isPharmacy && several?.pharmacy !== undefined) return several.pharmacy;
  return several?.of ?? data.programs.filter(({ names }) => names.includes(word)).map(({ program }) => program);
}

function then(data: AppealRightsData, name: string, jurisdiction: string | null, day: string | null): ProgramThen[] {
  const program = data.programs.find((one) => one.program === name);
  const edition = program?.editions.find((one) => isInForce(one, day));
  if (program === undefined || edition === undefined) return [];
  const levels = edition.levels.map((level) => {
    const rule = data.stateRules.find(
      (one) =>
        one.program === name && one.jurisdiction === jurisdiction && one.level === level.level && isInForce(one, day),
    );
    if (rule === undefined) return level;
    const { file_within, note = level.note } = rule;
    return { ...level, file_within, note, citation: `${level.citation}; ${rule.citation}` };
  });
  return [{ program, edition, levels }];
}

/** Without a day, what holds today and on: the newest edition. */
const isInForce = (
  { effective_from, effective_to }: Pick<AppealEdition, 'effective_from' | 'effective_to'>,
  day: string | null,
): boolean =>
  day === null
    ? effective_to === undefined
    : effective_from <= day && (effective_to === undefined || day < effective_to);
