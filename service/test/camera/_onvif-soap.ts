export type Answer = { status?: number; headers?: Record<string, string>; body: string }

/** The text of an element in a request, whatever its prefix; entities are decoded. */
export function tag(xml: string, name: string): string | undefined {
  const [, value] = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^>]*)?>([^<]*)<`).exec(xml) ?? []
  return value?.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
}

export function attribute(xml: string, element: string, name: string): number {
  const [, value] = new RegExp(`<(?:\\w+:)?${element}[^>]* ${name}="([^"]*)"`).exec(xml) ?? []
  return Number(value ?? 0)
}

export const escape = (value: string): string =>
  value.replace(/[<>&"]/g, (character) => `&#${character.codePointAt(0)};`)

export const envelope = (body: string): string =>
  `<?xml version="1.0"?><SOAP-ENV:Envelope xmlns:SOAP-ENV="http://www.w3.org/2003/05/soap-envelope" xmlns:tt="http://www.onvif.org/ver10/schema" xmlns:tds="http://www.onvif.org/ver10/device/wsdl" xmlns:trt="http://www.onvif.org/ver10/media/wsdl" xmlns:tptz="http://www.onvif.org/ver20/ptz/wsdl" xmlns:ter="http://www.onvif.org/ver10/error"><SOAP-ENV:Body>${body}</SOAP-ENV:Body></SOAP-ENV:Envelope>`

export const fault = (status: number, ...codes: string[]): Answer => {
  const subcode = codes.reduceRight(
    (inner, code) =>
      `<SOAP-ENV:Subcode><SOAP-ENV:Value>ter:${code}</SOAP-ENV:Value>${inner}</SOAP-ENV:Subcode>`,
    '',
  )
  return {
    status,
    body: envelope(
      `<SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value>${subcode}</SOAP-ENV:Code><SOAP-ENV:Reason><SOAP-ENV:Text xml:lang="en">secret text of the camera</SOAP-ENV:Text></SOAP-ENV:Reason></SOAP-ENV:Fault>`,
    ),
  }
}

export const date = (time: Date): string =>
  `<tt:UTCDateTime><tt:Time><tt:Hour>${time.getUTCHours()}</tt:Hour><tt:Minute>${time.getUTCMinutes()}</tt:Minute><tt:Second>${time.getUTCSeconds()}</tt:Second></tt:Time><tt:Date><tt:Year>${time.getUTCFullYear()}</tt:Year><tt:Month>${time.getUTCMonth() + 1}</tt:Month><tt:Day>${time.getUTCDate()}</tt:Day></tt:Date></tt:UTCDateTime>`
