import { XMLParser } from 'fast-xml-parser';
import { ncpdpAdapter } from '../../subgraphs/ledger/formats/ncpdp/index.js';
import { median, type Ratio, ratioOf } from '../support/measure.js';
import { chunksOf, readingOf, readWithAdapter } from './reading.js';

const bodyBytes = 4 * 1024 * 1024;
const rounds = 5;

/**
 * Reads SCRIPT messages alternately with our adapter (with document splitting, hashes and mapping) and with fast-xml-parser
 * alone. Also reads D.0 claims, for which no npm parser exists. The ratio compares megabytes per processor second.
 */
export async function benchNcpdp(): Promise<Ratio> {
  const script = bodyOf(scriptMessage);
  const telecom = bodyOf(claimRequest);
  const pairs: [number, number][] = [];
  const d0: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const own = await cpuSeconds(() => readWithOurs(script));
    const bare = await cpuSeconds(async () => readWithParser(script));
    const claims = await cpuSeconds(() => readWithOurs(telecom));
    // The first round is a warm-up.
    if (round === 0) continue;
    pairs.push([1 / own, 1 / bare]);
    d0.push(1 / claims);
  }
  const megabytes = bodyBytes / 1_000_000;
  const speed = (perSecond: readonly number[]): string =>
    `${(megabytes * median(perSecond)).toFixed(1)} MB a processor second`;
  const lines = [
    `SCRIPT with mapping: ${speed(pairs.map(([own]) => own))} (${script.count} messages)`,
    `fast-xml-parser, parse alone: ${speed(pairs.map(([, bare]) => bare))}`,
    `D.0 with mapping: ${speed(d0)} (${telecom.count} claims)`,
  ];
  return ratioOf('SCRIPT with mapping / fast-xml-parser bare', undefined, pairs, lines);
}

interface Body {
  readonly bytes: Buffer;
  readonly texts: readonly string[];
  readonly count: number;
}

function bodyOf(text: (n: number) => string): Body {
  const texts: string[] = [];
  for (let length = 0; length < bodyBytes; length += texts.at(-1)?.length ?? 0) texts.push(text(texts.length));
  return { bytes: Buffer.from(texts.join(''), 'latin1'), texts, count: texts.length };
}

const readWithOurs = ({ bytes, count }: Body): Promise<void> => readWithAdapter(ncpdpAdapter, chunksOf(bytes), count);
const cpuSeconds = async (work: () => Promise<void>): Promise<number> => (await readingOf(work)).cpuSeconds;

function readWithParser({ texts }: Body): void {
  const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, processEntities: false });
  for (const text of texts) {
    if (parser.parse(text).Message === undefined) throw new Error('a message was not read');
  }
}

/** An invented prescription. */
function scriptMessage(n: number): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Message xmlns="http://www.ncpdp.org/schema/SCRIPT" version="2017071">
  <Header><To Qualifier="P">SYNPHARMACY</To><From Qualifier="C">SYNPRESCRIBER</From><MessageID>SYN-${n}</MessageID>
    <SentTime>2026-03-02T10:00:00Z</SentTime><PrescriberOrderNumber>ORDER-${n}</PrescriberOrderNumber></Header>
  <Body><NewRx>
    <BenefitsCoordination><CardholderID>SYN${n % 5000}</CardholderID><GroupID>SYNGRP</GroupID></BenefitsCoordination>
    <Patient><HumanPatient><Name><LastName>SYNTH</LastName><FirstName>NORA</FirstName></Name><Gender>F</Gender>
      <DateOfBirth><Date>1980-01-15</Date></DateOfBirth><Address><StateProvince>IL</StateProvince></Address></HumanPatient></Patient>
    <Pharmacy><Identification><NCPDPID>9999999</NCPDPID><NPI>1999999984</NPI></Identification>
      <BusinessName>SYNTHETIC PHARMACY</BusinessName></Pharmacy>
    <Prescriber><NonVeterinarian><Identification><NPI>1999999976</NPI></Identification>
      <Name><LastName>ROWAN</LastName><FirstName>ROBIN</FirstName></Name></NonVeterinarian></Prescriber>
    <MedicationPrescribed><DrugDescription>Synthetic 10 MG Oral Tablet</DrugDescription>
      <DrugCoded><ProductCode Qualifier="ND">00093505601</ProductCode></DrugCoded>
      <Quantity><Value>30</Value><CodeListQualifier>38</CodeListQualifier></Quantity><DaysSupply>30</DaysSupply>
      <Substitutions>0</Substitutions><NumberOfRefills>3</NumberOfRefills><WrittenDate><Date>2026-03-02</Date></WrittenDate>
      <Sig><SigText>Take 1 tablet by mouth once daily.</SigText></Sig></MedicationPrescribed>
  </NewRx></Body>
</Message>
`;
}

/** An invented claim. */
function claimRequest(n: number): string {
  const segment = (...fields: string[]): string => `\x1e${fields.map((field) => `\x1c${field}`).join('')}`;
  return [
    `610066D0B1${'SYNPCN'.padEnd(10)}101${'1999999984'.padEnd(15)}20260302${'SYNSOFT'.padEnd(10)}`,
    segment('AM01', 'C419800115', 'C52', 'CANORA', 'CBSYNTH', 'COIL'),
    segment('AM04', `C2SYN${n % 5000}`, 'C1SYNGRP', 'C301', 'C61'),
    `\x1d${segment('AM07', 'EM1', `D2${n}`, 'E103', 'D700093505601', 'E730000', 'D300', 'D530', 'D61', 'DE20260301')}`,
    segment('AM11', 'D9557{', 'DC100{', 'DQ807{', 'DU657{'),
    segment('AM13', 'VE1', 'WE02', 'DOE119'),
    segment('AM03', 'EZ01', 'DB1999999976'),
    '\r\n',
  ].join('');
}
