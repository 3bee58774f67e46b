import type { SMTPSentMessageInfo, SMTPTransportOptions } from 'nodemailer/lib/smtp-transport'
import { subjectOf, textOf } from '../../domain/notifications/message-text.ts'
import { SendError, within, type Channel } from '../channel.ts'
import { mailError } from './mail-error.ts'

type MailOptions = {
  name: string
  host: string
  port: number
  /** `tls`: from the first byte; `starttls`: required after the greeting; `off`: not encrypted. */
  tls: 'tls' | 'starttls' | 'off'
  user?: string | undefined
  password?: string | undefined
  ca?: string | undefined
  from: string
  to: readonly string[]
  timeoutSeconds: number
  /** The address of the service for people; empty: mails have no link. */
  publicUrl: string
}

/** Sends messages as mails of plain text; they are delivered when the server accepts them. */
export function mailChannel(options: MailOptions): Channel {
  const { name, from, to, timeoutSeconds, publicUrl } = options
  return {
    name,

    async send(message, signal) {
      // Loading the library takes a while, and many services send no mail.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport(transportOptions(options))
      const sent = transport.sendMail({
        from,
        to: [...to],
        subject: subjectOf(message),
        text: textOf(message, publicUrl),
        // The same in every attempt, so that a mail that arrives twice is recognised.
        messageId: `<${message.id}.${name}@${domainOf(from)}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'Plumbline-Message': message.id },
      })
      try {
        return describeRejected(await within(sent, timeoutSeconds, signal))
      } catch (error) {
        if (error instanceof SendError) throw error
        signal.throwIfAborted()
        throw mailError(error, options)
      } finally {
        transport.close()
      }
    },
  }
}

function transportOptions(options: MailOptions): SMTPTransportOptions {
  const { host, port, tls, user, password, ca, timeoutSeconds } = options
  const milliseconds = timeoutSeconds * 1000
  return {
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: milliseconds,
    greetingTimeout: milliseconds,
    socketTimeout: milliseconds,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function describeRejected({ rejected }: SMTPSentMessageInfo): string | undefined {
  if (rejected.length === 0) return undefined
  return `the server refused ${rejected.length} of the recipients`
}

const domainOf = (address: string): string =>
  /@([A-Za-z0-9.-]+)>?\s*$/.exec(address)?.[1] ?? 'plumbline.invalid'
