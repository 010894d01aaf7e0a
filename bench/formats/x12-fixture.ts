/** Synthetic 837P and 835 interchanges for the bench: invented people, fifty claims each, in the shape and length of real ones. */
const claimsPerTransaction = 50;

const names = ['ALDERBROOK*TESSA', 'BRIARWOOD*MILO', 'CASTLETON*IRIS', 'DUNMORE*FELIX', 'ELLSWORTH*NORA'] as const;
const codes = ['99213', '99214', '87070', '85025', 'J1550', '90782'] as const;
const diagnoses = ['J209', 'E119', 'I10', 'Z0000', 'M545'] as const;

export type X12Kind = '837' | '835';

/** Makes one interchange of one transaction, with control numbers from `control`. */
export function syntheticTransaction(control: number, kind: X12Kind): { text: string; claims: number } {
  const control9 = String(control).padStart(9, '0');
  const control4 = String(control % 10_000).padStart(4, '0');
  const version = kind === '837' ? '005010X222A1' : '005010X221A1';
  const body = kind === '837' ? claimsBody(control, control4, control9) : remittanceBody(control, control4);
  body.push(`SE*${body.length + 1}*${control4}`);
  const isa = `ISA*00*          *00*          *ZZ*SYNTHSENDER    *ZZ*SYNTHPLAN      *260301*1023*^*00501*${control9}*0*T*:`;
  const gs = `GS*${kind === '837' ? 'HC' : 'HP'}*SYNTHSENDER*SYNTHPLAN*20260301*1023*${control}*X*${version}`;
  const segments = [isa, gs, ...body, `GE*1*${control}`, `IEA*1*${control9}`];
  return { text: `${segments.join('~\n')}~\n`, claims: claimsPerTransaction };
}

function claimsBody(control: number, control4: string, control9: string): string[] {
  const body = [
    `ST*837*${control4}*005010X222A1`,
    `BHT*0019*00*${control9}*20260301*1023*CH`,
    'NM1*41*2*SYNTHETIC BILLING SERVICE*****46*SUB01',
    'PER*IC*SERVICE DESK*TE*5555550100',
    'NM1*40*2*SYNTHETIC HEALTH PLAN*****46*PLAN01',
    'HL*1**20*1',
    'PRV*BI*PXC*203BF0100Y',
    'NM1*85*2*SYNTHETIC CLINIC*****XX*1999999984',
    'N3*1 TEST PLAZA',
    'N4*SPRINGFIELD*IL*627010000',
    'REF*EI*000000001',
  ];
  for (let claim = 0; claim < claimsPerTransaction; claim += 1) body.push(...claimSegments(control, claim));
  return body;
}

function remittanceBody(control: number, control4: string): string[] {
  const body = [
    `ST*835*${control4}`,
    `BPR*I*${claimsPerTransaction * 100}.00*C*ACH*CCP*01*999999992*DA*123456*1999999999**01*999988880*DA*98765*20260301`,
    `TRN*1*${control}*1999999999`,
    'DTM*405*20260301',
    'N1*PR*SYNTHETIC HEALTH PLAN*XV*PLAN01',
    'N3*1 PLAN PLAZA',
    'N4*SPRINGFIELD*IL*627010000',
    'PER*BL*SERVICE DESK*TE*5555550100',
    'N1*PE*SYNTHETIC CLINIC*XX*1999999984',
    'LX*1',
  ];
  for (let claim = 0; claim < claimsPerTransaction; claim += 1) body.push(...paymentSegments(control, claim));
  return body;
}

/** 150.00 billed, 100.00 paid: 25.00 above the contract on each of two lines. */
function paymentSegments(control: number, claim: number): string[] {
  const n = control * claimsPerTransaction + claim;
  const name = names[n % names.length] ?? names[0];
  const segments = [
    `CLP*ACCT${n}*1*150.00*100.00**12*PAY${n}*11*1`,
    `NM1*QC*1*${name}****MI*SYN${String(n).padStart(8, '0')}`,
    'NM1*82*1*RENDERING*ROWAN****XX*1999999976',
    `REF*1L*GRP000123`,
    'DTM*232*20260215',
    'DTM*233*20260215',
  ];
  for (let line = 1; line <= 2; line += 1) {
    segments.push(
      `SVC*HC:${codes[(n + line) % codes.length]}:25*75.00*50.00**1`,
      'DTM*472*20260215',
      'CAS*CO*45*25.00',
      `REF*6R*${n}-${line}`,
      'AMT*B6*50.00',
    );
  }
  return segments;
}

function claimSegments(control: number, claim: number): string[] {
  const n = control * claimsPerTransaction + claim;
  const member = `SYN${String(n).padStart(8, '0')}`;
  const name = names[n % names.length] ?? names[0];
  const segments = [
    `HL*${claim + 2}*1*22*0`,
    'SBR*P*18*GRP000123******CI',
    `NM1*IL*1*${name}****MI*${member}`,
    `N3*${n % 900} SYNTHETIC AVENUE`,
    'N4*SPRINGFIELD*IL*627020000',
    'DMG*D8*19800101*F',
    'NM1*PR*2*SYNTHETIC HEALTH PLAN*****PI*PLAN01',
    `CLM*ACCT${n}*${(n % 4) * 50 + 100}.00***11:B:1*Y*A*Y*I*P`,
    `REF*D9*${String(n).padStart(16, '0')}`,
    `HI*ABK:${diagnoses[n % diagnoses.length]}*ABF:${diagnoses[(n + 1) % diagnoses.length]}`,
    'NM1*82*1*RENDERING*ROWAN****XX*1999999976',
    'PRV*PE*PXC*203BF0100Y',
  ];
  for (let line = 1; line <= 3; line += 1) {
    segments.push(
      `LX*${line}`,
      `SV1*HC:${codes[(n + line) % codes.length]}:25*50.00*UN*1***1:2`,
      'DTP*472*D8*20260215',
      `REF*6R*${n}-${line}`,
    );
  }
  return segments;
}
