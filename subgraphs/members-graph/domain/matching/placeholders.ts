// Values that stand where nothing is known. Many people share them: they would join strangers, so they weigh nothing.

const NAMES = new Set(
  (
    'unknown unk none na null test tester patient anonymous anon unnamed noname nofirstname nolastname nfn nln ' +
    'newborn baby babyboy babygirl boy girl infant male female john doe johndoe janedoe deceased duplicate donotuse ' +
    'twin twina twinb triplet babyboya babyboyb babygirla babygirlb'
  ).split(' '),
);
// "Doe" and "John" alone are names that people have.
const HAD_BY_PEOPLE = new Set(['john', 'doe', 'boy', 'na', 'girl', 'male']);

export const isPlaceholderName = (squeezedName: string): boolean =>
  NAMES.has(squeezedName) && !HAD_BY_PEOPLE.has(squeezedName);

const NEWBORN =
  /^(?:newborn|infant|baby)? ?(?:boy|girl|male|female|baby)(?: ?(?:[a-d]|[1-4]|one|two))?$|^newborn$|^infant$/;

/** "Baby Boy", "BG", "Newborn Girl A": a child that has no name yet. */
export const isNewbornName = (foldedGiven: string): boolean => NEWBORN.test(foldedGiven);

/** All one digit, digits counted up or down, or of a block that the authorities do not assign. */
export function isPlaceholderNumber(digits: string): boolean {
  if (digits.length < 4) return true;
  if (/^(\d)\1*$/.test(digits)) return true;
  if ('01234567890123456789'.includes(digits) || '98765432109876543210'.includes(digits)) return true;
  return /^0+[1-9]?$/.test(digits);
}

/** Social security numbers that are never given out (SSA: area 000, 666 and 9xx; group 00; serial 0000), or famous ones. */
export const isPlaceholderSsn = (digits: string): boolean =>
  isPlaceholderNumber(digits) ||
  (digits.length === 9 &&
    (/^(?:000|666|9\d\d)/.test(digits) ||
      /^\d{3}00/.test(digits) ||
      /0000$/.test(digits) ||
      digits === '078051120' ||
      digits === '219099999'));

/** Days that systems put where the birth date is not known. */
export const isPlaceholderBirthDate = (date: string): boolean =>
  date === '1900-01-01' ||
  date === '1901-01-01' ||
  date === '1800-01-01' ||
  date === '9999-12-31' ||
  date === '0001-01-01';
