import type { AppealEdition, AppealLevel, AppealProgram, AppealRightsData } from './explain-data.js';

/** The programme data of an event. */
export interface EventProgram {
  readonly program: string | null;
  /** The sender's code of the programme. */
  readonly programCode: string | null;
  readonly jurisdiction: string | null;
  readonly isPharmacy: boolean;
}

/** A programme that may apply, in its edition of a day. */
export interface ProgramEdition {
  readonly program: AppealProgram;
  readonly edition: AppealEdition;
  /** Levels, with state rules applied. */
  readonly levels: readonly AppealLevel[];
}

/** ONE: one programme. SEVERAL: the word names several. UNKNOWN: the event names none. NO_DATA: no data for the name. */
export interface ProgramsFound {
  readonly found: 'ONE' | 'SEVERAL' | 'UNKNOWN' | 'NO_DATA';
  readonly programs: readonly ProgramEdition[];
}

/** Returns the programmes with appeal rights that may apply on a day. The service does not guess an unstated programme. */
export function appealPrograms(data: AppealRightsData, stated: EventProgram, day: string | null): ProgramsFound {
  const word = stated.program?.toUpperCase().replace(/[^A-Z0-9]+/g, '_') ?? '';
  if (word === '' || word === 'UNKNOWN' || word === 'OTHER') return { found: 'UNKNOWN', programs: [] };
  const programs = namesOf(data, word, stated).flatMap((name) => editionOn(data, name, stated.jurisdiction, day));
  if (programs.length === 0) return { found: 'NO_DATA', programs };
  return { found: programs.length === 1 ? 'ONE' : 'SEVERAL', programs };
}

/** Returns the programmes that a word names, narrowed by the sender's code, then by a pharmacy event. */
function namesOf(data: AppealRightsData, word: string, { programCode, isPharmacy }: EventProgram): readonly string[] {
  const several = data.words.get(word);
  const byCode = several?.by_code?.[programCode?.toUpperCase() ?? ''];
  if (byCode !== undefined) return byCode;
  if (isPharmacy && several?.pharmacy !== undefined) return several.pharmacy;
  return several?.of ?? data.programs.filter(({ names }) => names.includes(word)).map(({ program }) => program);
}

function editionOn(
  data: AppealRightsData,
  name: string,
  jurisdiction: string | null,
  day: string | null,
): ProgramEdition[] {
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

/** Returns whether an edition is in force on a day; without a day, whether it is the newest. */
const isInForce = (
  { effective_from, effective_to }: Pick<AppealEdition, 'effective_from' | 'effective_to'>,
  day: string | null,
): boolean =>
  day === null
    ? effective_to === undefined
    : effective_from <= day && (effective_to === undefined || day < effective_to);
