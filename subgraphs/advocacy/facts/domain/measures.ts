// Measures that a criterion may use: the codes and names that results carry them under, and their unit.

export interface Measure {
  readonly description: string;
  readonly unit: string;
  /** LOINC codes of the measure. */
  readonly loinc: readonly string[];
  /** Names of the measure in results, normalised by `plainWords`. */
  readonly names: readonly string[];
  /** Accepted units, in lower case. A value in another unit is ignored, never converted. */
  readonly units: readonly string[];
  /** Values outside this range are ignored as transcription errors. */
  readonly plausible: readonly [low: number, high: number];
}

const EVENTS_PER_HOUR = ['/h', '/hr', '{events}/h', '1/h', 'events/hour', 'events per hour', '/hour', 'per hour'];
const PERCENT = ['%', 'percent'];
const MM_HG = ['mm hg', 'mmhg', 'mm[hg]'];

/** The comment after a LOINC code names its term. */
export const MEASURES: ReadonlyMap<string, Measure> = new Map(
  Object.entries<Measure>({
    ahi_or_rdi: {
      description: 'Apnea-hypopnea or respiratory disturbance index.',
      unit: 'events an hour',
      loinc: [],
      names: ['ahi', 'rdi', 'ahi or rdi', 'apnea hypopnea index', 'respiratory disturbance index'],
      units: EVENTS_PER_HOUR,
      plausible: [0, 250],
    },
    bmi: {
      description: 'Body-mass index.',
      unit: 'kg/m2',
      loinc: ['39156-5'], // Body mass index (BMI) [Ratio]
      names: ['bmi', 'body mass index', 'body mass index bmi'],
      units: ['kg/m2', 'kg/m^2', 'kg/m²', 'kg per m2'],
      plausible: [7, 150],
    },
    po2: {
      description: 'Arterial partial pressure of oxygen.',
      unit: 'mm Hg',
      loinc: ['2703-7'], // Oxygen [Partial pressure] in Arterial blood
      names: ['po2', 'pao2', 'arterial po2', 'arterial oxygen partial pressure'],
      units: MM_HG,
      plausible: [10, 700],
    },
    spo2: {
      description: 'Oxygen saturation.',
      unit: '%',
      loinc: ['2708-6', '59408-5'], // Oxygen saturation in Arterial blood; the same by Pulse oximetry
      names: ['spo2', 'sao2', 'oxygen saturation', 'arterial oxygen saturation', 'pulse oximetry'],
      units: PERCENT,
      plausible: [30, 100],
    },
    hematocrit: {
      description: 'Hematocrit.',
      unit: '%',
      loinc: ['4544-3', '20570-8'], // Hematocrit of Blood by Automated count; Hematocrit of Blood
      names: ['hematocrit', 'hct'],
      units: PERCENT,
      plausible: [5, 80],
    },
    lvef: {
      description: 'Left ventricular ejection fraction.',
      unit: '%',
      loinc: ['10230-1', '8806-2', '18043-0'], // Left ventricular Ejection fraction; by US.2D; by US
      names: ['lvef', 'ejection fraction', 'left ventricular ejection fraction'],
      units: PERCENT,
      plausible: [3, 95],
    },
    pack_years: {
      description: 'Pack-years smoked.',
      unit: 'pack-years',
      loinc: ['8664-5'], // Cigarettes smoked total (pack per year) - Reported
      names: ['pack years', 'pack year', 'smoking pack years', 'cigarette pack years'],
      units: ['pack-years', 'pack years', '{pack-years}', '{packs}/a', 'a'],
      plausible: [0, 300],
    },
    weight_kg: {
      description: 'Body weight.',
      unit: 'kg',
      loinc: ['29463-7', '3141-9'], // Body weight; Body weight Measured
      names: ['weight', 'body weight', 'weight kg'],
      units: ['kg'],
      plausible: [1, 600],
    },
    weight_lost_kg: {
      description: 'Weight lost since the first visit of a course.',
      unit: 'kg',
      loinc: [],
      names: ['weight lost', 'weight loss', 'weight lost kg'],
      units: ['kg'],
      plausible: [-200, 300],
    },
    years_since_smoking: {
      description: 'Years since the person stopped smoking; 0 for one who smokes.',
      unit: 'years',
      loinc: [],
      names: ['years since smoking', 'years since quit', 'years since smoking stopped'],
      units: ['a', 'years', 'year'],
      plausible: [0, 100],
    },
  }),
);

/** Normalises the name of a result for comparison: lower-case words separated by one space. */
export const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
