import type { AppealRightsShown, AppealStepShown } from '../schema/index.js';
import { appealPrograms, type EventProgram, type ProgramEdition, type ProgramsFound } from './appeal-programs.js';
import { dayAfter, dayInWords } from './calendar.js';
import type { Asked, Decision } from './decision.js';
import type { AppealLevel, ExplainData } from './explain-data.js';
import { type NoticeBasis, type NoticeDate, noticeDateOf } from './notice-date.js';
import { type Language, type Say, type SentenceName, spanInWords, together } from './sentences.js';

interface RightsAsked extends EventProgram {
  readonly decision: Decision;
  readonly event: Parameters<typeof noticeDateOf>[0];
}

/** Returns the appeal rights of an event, by programme and jurisdiction, on the day of the notice. */
export function appealRights(
  { rights }: ExplainData,
  asked: RightsAsked,
  say: Say,
  language: Language,
): AppealRightsShown {
  const { decision, event } = asked;
  const { stance } = decision;
  const notice = noticeDateOf(event, decision.asked);
  const applies = stance === 'NO' ? true : stance === 'UNCLEAR' ? null : false;
  const found = appealPrograms(rights, asked, notice.day);
  const head = {
    applies,
    programs: found.programs.map(({ program }) => program.program),
    jurisdiction: asked.jurisdiction,
    notice_date: notice.day,
    notice_date_basis: notice.basis,
  };
  if (applies === false) {
    return { ...head, first_deadline: null, text: together(notNow(stance, say), say('disclaimer')), steps: [] };
  }
  // A rejected claim at the counter is not a notice (42 CFR 423.562(a)(3), 29 CFR 2560.503-1(e)): it starts no time limit.
  const day = decision.asked === 'DRUG' ? null : notice.day;
  const steps = found.programs.flatMap((found) =>
    found.levels.map((level) => stepOf(found, level, { day, asked: decision.asked, say, language })),
  );
  const [first_deadline = null] = steps.flatMap(({ file_by = [] }) => file_by).sort();
  return { ...head, first_deadline, text: introduction(asked, found, notice, say, language), steps };
}

function notNow(stance: Decision['stance'], say: Say): string {
  if (stance === 'YES') return say('said_yes');
  return stance === 'NONE' ? say('not_an_answer') : say('not_decided');
}

const COUNTED: Readonly<Record<Exclude<NoticeBasis, 'NONE'>, SentenceName>> = {
  NOTICE: 'count_NOTICE',
  ISSUED: 'count_ISSUED',
  PAYMENT: 'count_PAYMENT',
  EVENT: 'count_EVENT',
  RECEIVED: 'count_RECEIVED',
};

function introduction(
  { decision }: RightsAsked,
  { found, programs }: ProgramsFound,
  notice: NoticeDate,
  say: Say,
  language: Language,
): string {
  const may = decision.stance === 'NO' ? say('may_appeal') : say('perhaps');
  const counter = decision.asked === 'DRUG' && say('at_pharmacy');
  if (found === 'UNKNOWN') return together(may, counter, say('unknown_program'), say('disclaimer'));
  if (found === 'NO_DATA') return together(may, counter, say('no_steps'), say('disclaimer'));
  return together(
    may,
    ...programs.map(({ program }) => say('steps_for', { title: program.title[language] })),
    found === 'SEVERAL' && say('which_plan'),
    counter === false ? counting(notice, say, language) : counter,
    say('disclaimer'),
  );
}

function counting({ day, basis }: NoticeDate, say: Say, language: Language): string {
  if (day === null || basis === 'NONE') return say('no_date');
  const counted = say(COUNTED[basis], { date: dayInWords(day, language) });
  return basis === 'NOTICE' ? counted : together(counted, say('go_by_letter'));
}

interface StepInput {
  readonly day: string | null;
  readonly asked: Asked;
  readonly say: Say;
  readonly language: Language;
}

function stepOf({ program, edition }: ProgramEdition, level: AppealLevel, input: StepInput): AppealStepShown {
  const { day, asked, say, language } = input;
  const { file_within, counted_from, decided } = level;
  const file_by = day !== null && counted_from === 'NOTICE' && file_within ? dayAfter(day, file_within) : undefined;
  // A fast answer is only for future care.
  const fastHours = asked === 'CLAIM' ? undefined : decided?.expedited_hours;
  return {
    program: program.program,
    level: level.level,
    name: level.name[language],
    text: together(
      `${level.name[language]}.`,
      level.automatic === true && say('automatic'),
      filing(level, file_by, say, language),
      level.keep_care_days !== undefined && asked !== 'CLAIM' && say('keep_care', { count: level.keep_care_days }),
      level.is_external === true && say('outside'),
      answering(level, asked, say),
      fastHours !== undefined && say('fast', { count: fastHours }),
      level.note?.[language],
    ),
    ...(file_by === undefined ? {} : { file_by }),
    counted_from,
    automatic: level.automatic === true,
    is_external: level.is_external === true,
    ...(fastHours === undefined ? {} : { expedited_hours: fastHours }),
    citation: level.citation,
    effective_from: edition.effective_from,
  };
}

function filing({ file_within, counted_from }: AppealLevel, fileBy: string | undefined, say: Say, language: Language) {
  if (counted_from === 'ANY_TIME') return say('file_any');
  if (counted_from === 'LETTER') return say('file_letter_says');
  if (file_within === undefined) return '';
  const within = spanInWords(file_within, say);
  if (counted_from === 'STEP_BEFORE') return say('file_within_before', { within });
  return fileBy === undefined
    ? say('file_within_letter', { within })
    : say('file_by', { date: dayInWords(fileBy, language), within });
}

function answering({ decided }: AppealLevel, asked: Asked, say: Say): string {
  if (asked === 'CLAIM' && decided?.payment_days !== undefined)
    return say('answer_days', { count: decided.payment_days });
  if (asked === 'CLAIM') return '';
  if (decided?.standard_hours !== undefined) return say('answer_hours', { count: decided.standard_hours });
  return decided?.standard_days === undefined ? '' : say('answer_days', { count: decided.standard_days });
}
