import { romanise } from '../../../../shared/text/romanise.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern covers all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Folds a name of any script to the letters a–z. Removes marks and romanises other scripts letter by letter (Ж, 李, م), so
 * that a name in its own script matches a clerk's spelling. Punctuation becomes a blank; apostrophes are removed.
 */
export function foldName(text: string): string {
  const plain = ASCII.test(text) ? text : romanised(text);
  return plain
    .toLowerCase()
    .replace(/['’`´]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** Removes marks of Latin letters before romanising: clerks write u for ü, and ß becomes ss. */
function romanised(text: string): string {
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return ASCII.test(bare) ? bare : romanise(bare);
}

export const squeezed = (folded: string): string => folded.replaceAll(' ', '');

export const digitsOf = (text: string): string => text.normalize('NFKC').replace(/[^0-9]/g, '');

// Placeholder values. Many people share one, so it would link strangers: it weighs nothing.

const NAMES = new Set(
  (
    'unknown unk none na null test tester patient anonymous anon unnamed noname nofirstname nolastname nfn nln ' +
    'newborn baby babyboy babygirl boy girl infant male female john doe johndoe janedoe deceased duplicate donotuse ' +
    'twin twina twinb triplet babyboya babyboyb babygirla babygirlb'
  ).split(' '),
);
// People have these names: "Doe", "John".
const HAD_BY_PEOPLE = new Set(['john', 'doe', 'boy', 'na', 'girl', 'male']);

export const isPlaceholderName = (squeezedName: string): boolean =>
  NAMES.has(squeezedName) && !HAD_BY_PEOPLE.has(squeezedName);

const NEWBORN =
  /^(?:newborn|infant|baby)? ?(?:boy|girl|male|female|baby)(?: ?(?:[a-d]|[1-4]|one|two))?$|^newborn$|^infant$/;

/** True for "Baby Boy", "Newborn Girl A": a child without a name. */
export const isNewbornName = (foldedGiven: string): boolean => NEWBORN.test(foldedGiven);

/** True for one repeated digit, a counted sequence, or an unassigned block. */
export function isPlaceholderNumber(digits: string): boolean {
  if (digits.length < 4) return true;
  if (/^(\d)\1*$/.test(digits)) return true;
  if ('01234567890123456789'.includes(digits) || '98765432109876543210'.includes(digits)) return true;
  return /^0+[1-9]?$/.test(digits);
}

/** True for social security numbers that the SSA never assigns (area 000, 666, 9xx; group 00; serial 0000), or famous ones. */
export const isPlaceholderSsn = (digits: string): boolean =>
  isPlaceholderNumber(digits) ||
  (digits.length === 9 &&
    (/^(?:000|666|9\d\d)/.test(digits) ||
      /^\d{3}00/.test(digits) ||
      /0000$/.test(digits) ||
      digits === '078051120' ||
      digits === '219099999'));

/** True for dates that systems write when the birth date is unknown. */
export const isPlaceholderBirthDate = (date: string): boolean =>
  date === '1900-01-01' ||
  date === '1901-01-01' ||
  date === '1800-01-01' ||
  date === '9999-12-31' ||
  date === '0001-01-01';

const VOWELS = 'AEIOU';

// Prefixes and suffixes, each replaced once (Taft 1970, "Name Search Techniques").
const OPENINGS: readonly (readonly [RegExp, string])[] = [
  [/^MAC/, 'MCC'],
  [/^KN/, 'NN'],
  [/^K/, 'C'],
  [/^(?:PH|PF)/, 'FF'],
  [/^SCH/, 'SSS'],
];
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(?:EE|IE)$/, 'Y'],
  [/(?:DT|RT|RD|NT|ND)$/, 'D'],
];

/**
 * Returns the code of the New York State Identification and Intelligence System: names that sound alike share a code.
 * Reads the letters a–z; returns '' for a name without any. Does not truncate the code to six letters.
 */
export function nysiis(name: string): string {
  let text = name.toUpperCase().replace(/[^A-Z]/g, '');
  if (text === '') return '';
  for (const [pattern, put] of OPENINGS) text = text.replace(pattern, put);
  for (const [pattern, put] of ENDINGS) text = text.replace(pattern, put);
  let code = text[0] ?? '';
  for (let index = 1; index < text.length; ) {
    const [put, length] = codeAt(text, index, code);
    for (const letter of put) if (!code.endsWith(letter)) code += letter;
    index += length;
  }
  const ended = code.replace(/S$/, '').replace(/AY$/, 'Y').replace(/A$/, '');
  return ended === '' ? code.slice(0, 1) : ended;
}

/** Returns the replacement at an index, and how many letters it replaces. */
function codeAt(text: string, index: number, code: string): readonly [string, number] {
  const letter = text[index] ?? '';
  const next = text[index + 1] ?? '';
  const before = text[index - 1] ?? '';
  const last = code.at(-1) ?? '';
  if (text.startsWith('EV', index)) return ['AF', 2];
  if (text.startsWith('SCH', index)) return ['S', 3];
  if (text.startsWith('PH', index)) return ['F', 2];
  if (VOWELS.includes(letter)) return ['A', 1];
  if (letter === 'K') return [next === 'N' ? 'N' : 'C', 1];
  if (letter === 'H' && (!isVowel(before) || !isVowel(next))) return [last, 1];
  if (letter === 'W' && isVowel(before)) return [last, 1];
  return [SINGLES[letter] ?? letter, 1];
}

const SINGLES: Readonly<Record<string, string>> = { Q: 'G', Z: 'S', M: 'N' };
const isVowel = (letter: string): boolean => letter !== '' && VOWELS.includes(letter);

// Formal given names of the United States, each with its nicknames. A nickname may belong to several names ("Sam").
const LINES = `
abigail abby gail|abraham abe bram|adelaide addie adele|agnes aggie|albert al bert bertie|alexander alex al sandy xander lex
alexandra alex sandra sandy lexi alexa|alfred al fred alf alfie|alice allie ali elsie|allison allie ali|amanda mandy amy
amelia amy mia millie|anastasia stacy ana|andrea andy drea|andrew andy drew|angela angie|ann anne annie anna nan nancy
anthony tony ant|antonio tony toni|antoinette toni netta|arthur art artie|augustus gus augie|barbara barb babs barbie bobbie
bartholomew bart|beatrice bea trixie|benjamin ben benny benji|bernard bernie|bernadette bernie|bradley brad|bridget biddy bridie
calvin cal|cameron cam|carolyn carol carrie lynn|caroline carol carrie|catherine cathy cat kate katie kitty cate kathy
katherine kathy kat kate katie kitty kay|kathleen kathy kate katie kay|cassandra cassie sandra|cecilia cece celia cissy
charles charlie chuck chas chaz|charlotte charlie lottie char|christina chris tina christy|christine chris tina christy chrissy
christopher chris kit topher|clarence clare|clifford cliff|clinton clint|constance connie|cornelius neil corny|curtis curt
cynthia cindy|daniel dan danny|danielle dani danny|david dave davey|deborah deb debbie debby debra|debra deb debbie
dennis denny|derek rick|diana di|dolores lola dolly|dominic dom nick|donald don donny|dorothy dot dottie dolly
douglas doug|dwight ike|edgar ed|edith edie|edmund ed eddie ned ted|edward ed eddie ned ted teddy|edwin ed eddie
eleanor ellie nell nora ella|elizabeth liz beth betty eliza lizzie betsy bess libby elsie ellie liza lisa bette
emily em emmy millie|emma em emmy|ernest ernie|esther essie hester|eugene gene|evelyn evie eve|ezekiel zeke
florence flo flossie|frances fran franny frankie|francis frank fran frankie|franklin frank|frederick fred freddy rick
gabriel gabe|gabrielle gabby|genevieve jenny gen viv|geoffrey geoff jeff|george georgie|gerald gerry jerry|geraldine gerry jerry
gilbert gil bert|gloria glo|gregory greg|guillermo memo will|gwendolyn gwen wendy|harold hal harry|harriet hattie
harrison harry|helen nell nellie lena|henrietta etta hettie|henry hank harry hal|herbert herb bert|howard howie|hubert hugh bert
ignacio nacho|irene rena|isaac ike zac|isabella bella izzy isabel|isabelle belle izzy|isaiah ike|jackson jack|jacob jake jay
jacqueline jackie|james jim jimmy jamie jem|janet jan|jasmine jazz|jason jay|jeffrey jeff|jennifer jen jenny jenn|jeremiah jerry
jeremy jerry|jerome jerry|jessica jess jessie|jesus chuy|joan joanie|joann jo|joanna jo|johanna jo hanna|john johnny jack jon
jonathan jon jonny nathan|jordan jordy|joseph joe joey jo|jose pepe joe|josephine jo josie|joshua josh|joyce joy|judith judy jude
julia julie jules|julian jules|juliana julie|justin jus|karen kari|kelly kel|kenneth ken kenny|kevin kev|kimberly kim
kristina kris tina|kristine kris|kristopher kris|larry lars|laura laurie|lauren laurie ren|laurence larry laurie|lawrence larry laurie
leonard len lenny leo|leonardo leo|leopold leo|leroy roy|leslie les|lillian lil lilly|lily lil|lincoln link|linda lindy lin
lorraine lori|louis lou louie|louise lou|lucas luke|lucille lucy|luis lou|lydia liddy|mackenzie kenzie|madeline maddie maddy
manuel manny|marcella marcy|marcus mark marc|margaret maggie meg peggy marge margie greta rita daisy madge|maria mary mia
marianne mary|marilyn mary lynn|martha marty mattie|martin marty|marvin marv|mary molly polly mae|matilda tilly mattie
matthew matt matty|maureen mo|maurice mo morry|maxwell max|maximilian max|megan meg|melanie mel|melinda mindy mel
melissa mel lissa missy|melvin mel|mercedes mercy|michael mike mick mickey mikey|michelle shelly mickey|mildred millie
milton milt|minerva minnie|miriam mimi|mitchell mitch|mohammed mo mohamed muhammad|mohammad mo mohamed muhammad|monica mona
montgomery monty|morris mo|nancy nan|natalie nat|natasha tasha|nathan nate nat|nathaniel nate nat nathan|nicholas nick nicky
nicole nikki nicky|norman norm|octavia tavi|oliver ollie|olivia liv livvy ollie|oscar ozzie|pamela pam|patricia pat patty trish tricia
patrick pat paddy rick|paula polly|pauline polly|penelope penny|percival percy|peter pete|philip phil pip|phillip phil pip
phyllis phyl|priscilla cilla|rachel rae|ramona mona|randall randy|randolph randy|raphael rafe raf|raymond ray|rebecca becky becca reba
reginald reg reggie|richard rick ricky dick rich richie|robert bob rob robby bobby bert robbie|roberta bobbie|roderick rod rick
rodney rod|roger rodge|roland rollie|ronald ron ronnie|rosalind roz rose|rosemary rose rosie|roxanne roxy|rudolph rudy|russell russ rusty
ruth ruthie|samantha sam sammy|samuel sam sammy|sandra sandy|sarah sally sadie|savannah savvy|sebastian seb bastian|seth sethy
shannon shan|sharon shari|shirley shirl|sidney sid|silvia sylvie|simon si|solomon sol|sophia sophie|stanley stan|stephanie steph
stephen steve stevie|steven steve stevie|stuart stu|suzanne sue suzy|susan sue suzy susie|sylvester sly|sylvia syl|tabitha tabby
tamara tammy|teresa terry tess tracy|terence terry|theodore ted teddy theo|theresa terry tess tracy|thomas tom tommy|tiffany tiff
timothy tim timmy|tobias toby|travis trav|valerie val|vanessa nessa|veronica ronnie vera|vernon vern|victor vic|victoria vicky tori
vincent vince vinny|viola vi|virginia ginny ginger|vivian viv|walter walt wally|wanda wendy|wayne way|wesley wes|wilbur will
wilhelmina mina billie|william bill billy will willy liam|winifred winnie|winston win|yolanda yoli|yvonne vonnie|zachary zach zack zac
francisco paco pancho frank|enrique kike henry|eduardo lalo eddie|guadalupe lupe|rosario chayo|concepcion concha|dolores lola
`;

/** Formal names by name. */
const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = grouped();

function grouped(): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  const lines = LINES.split(/[|\n]/).map((line) => line.trim().split(/\s+/));
  for (const [formal = '', ...others] of lines) {
    for (const name of [formal, ...others]) groups.set(name, (groups.get(name) ?? new Set()).add(formal));
  }
  groups.delete('');
  return groups;
}

/** Returns the formal names of a given name; the name itself where the table has none. */
export const formalNames = (given: string): readonly string[] => [...(GROUPS.get(given) ?? [given])];

/** True when two given names may be one person's: Bob and Robert, Liz and Beth. */
export function areNicknames(a: string, b: string): boolean {
  const formalOfA = GROUPS.get(a);
  const formalOfB = GROUPS.get(b);
  if (!formalOfA || !formalOfB || a === b) return false;
  for (const formal of formalOfA) if (formalOfB.has(formal)) return true;
  return false;
}
