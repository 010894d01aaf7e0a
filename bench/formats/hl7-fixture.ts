/** Synthetic messages for the bench: invented people, in the shapes and lengths that hospitals send most. */
const names = ['ALDERBROOK^TESSA', 'BRIARWOOD^MILO', 'CASTLETON^IRIS', 'DUNMORE^FELIX', 'ELLSWORTH^NORA'] as const;
const analytes = ['718-7^Hemoglobin^LN', '4544-3^Hematocrit^LN', '777-3^Platelets^LN', '6690-2^Leukocytes^LN'] as const;

/** Makes message n, alternately an admission, a patient update or a report of eight results. */
export function syntheticMessage(n: number): string {
  const shapes = [admission, results, update] as const;
  const segments = (shapes[n % shapes.length] ?? admission)(n);
  return `${segments.join('\r')}\r`;
}

function header(type: string, n: number): string {
  return `MSH|^~\\&|SYNTH-HIS|NORTH^2.999.1^ISO|PLAN|PLAN^2.999.2^ISO|20260301101500-0500||${type}|SYN${n}|P|2.5.1|||AL|NE|USA`;
}

function person(n: number): string {
  const name = names[n % names.length] ?? names[0];
  return (
    `PID|1||MRN${n}^^^NORTH&2.999.1&ISO^MR~SYN${n % 5000}^^^SYNTHPLAN^MB||${name}^Q^^^^L||19800115|F||2106-3^White^HL70005|` +
    `${n % 900} SYNTHETIC AVENUE^^SPRINGFIELD^IL^62702^USA^H||^PRN^PH^^1^217^5550100|^WPN^PH^^1^217^5550101|EN^English^HL70296|` +
    `M^Married^HL70002|NON^None^HL70006|ACCT${n}^^^NORTH^AN|||||N^Not Hispanic^HL70189`
  );
}

const visit =
  'PV1|1|I|WARD^101^A^NORTH^^BED^MAIN^3|E|||1999999984^ROWAN^ROBIN^^^DR^MD^^NPI^L^^^NPI|1999999976^SABLE^LEE^^^DR^MD^^NPI^L^^^NPI||MED||||7|||' +
  '1999999968^TERN^KIM^^^DR^MD^^NPI^L^^^NPI|IP|VISIT1^^^NORTH^VN|||||||||||||||||||||||||20260301100000-0500';

function admission(n: number): string[] {
  return [
    header('ADT^A01^ADT_A01', n),
    'EVN|A01|20260301101000-0500|||OPER1^OPERATOR^ONE',
    person(n),
    'PD1|||SYNTHETIC CLINIC^L^1001|1999999950^ULMER^PAT^^^DR^MD',
    'NK1|1|KIN^NEXT^OF|SPO^Spouse^HL70063|1 TEST WAY^^SPRINGFIELD^IL^62701^USA|^PRN^PH^^1^217^5550102',
    visit,
    'DG1|1||E11.9^Type 2 diabetes mellitus without complications^I10||20260301|A',
    'DG1|2||I10^Essential hypertension^I10||20260301|A',
    'GT1|1||GUARANTOR^THE||1 TEST WAY^^SPRINGFIELD^IL^62701^USA|^PRN^PH^^1^217^5550103',
    `IN1|1|PLAN-A^Synthetic PPO|SYNTHPLAN|SYNTHETIC HEALTH|1 PLAZA^^CHICAGO^IL^60601||^WPN^PH^^1^312^5550104|GRP1|||||||PPO|${names[n % 5]}|SEL|19800115`,
  ];
}

function update(n: number): string[] {
  return [header('ADT^A08^ADT_A01', n), 'EVN|A08|20260301101000-0500|||OPER1^OPERATOR^ONE', person(n), visit];
}

function results(n: number): string[] {
  const segments = [
    header('ORU^R01^ORU_R01', n),
    person(n),
    visit,
    `ORC|RE|ORD${n}^SYNTH|FIL${n}^LAB||CM||||20260301090000|||1999999984^ROWAN^ROBIN^^^DR^MD^^NPI^L^^^NPI`,
    `OBR|1|ORD${n}^SYNTH|FIL${n}^LAB|58410-2^CBC panel - Blood by Automated count^LN|||20260301083000-0500|||||||||1999999984^ROWAN^ROBIN^^^DR^MD^^NPI||||||20260301101000-0500||HM|F`,
  ];
  for (let line = 1; line <= 8; line += 1) {
    const value = ((n + line) % 150) / 10;
    segments.push(
      `OBX|${line}|NM|${analytes[line % analytes.length]}||${value}|g/dL^gram per deciliter^UCUM|11.6-15.0|N|||F|||20260301083000-0500|LAB^Main Laboratory|1999999943^VALE^RAE`,
    );
  }
  segments.push('NTE|1|L|Specimen received in good condition; results reviewed by the laboratory.');
  return segments;
}
