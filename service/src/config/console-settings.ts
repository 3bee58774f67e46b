import { Type } from 'typebox'
import { setting } from './setting.ts'

/** Settings of the console. */
export const CONSOLE_SETTINGS = {
  'console.tiles': setting({
    schema: Type.String({
      title: 'an https URL with {z}, {x} and {y}, without other braces and blanks, or empty',
    }),
    accepts: (url) => url === '' || isTileUrl(url),
    default: '',
    description:
      'Server of map tiles for the overview of the console, for example https://tiles.example/{z}/{x}/{y}.png. Browsers fetch pictures from it, and so tell it which places people look at. Empty: the map shows outlines that come with the console, and no browser asks anybody else.',
  }),
  'console.tilesAttribution': setting({
    schema: Type.String({ maxLength: 200 }),
    default: '',
    description: 'Text at the edge of the map that names the source of the tiles.',
  }),
}

function isTileUrl(url: string): boolean {
  const plain = url.replace('{z}', '1').replace('{x}', '1').replace('{y}', '1')
  const hasAll = ['{z}', '{x}', '{y}'].every((part) => url.includes(part))
  return hasAll && !/[{}\s"'<>;,]/.test(plain) && URL.parse(plain)?.protocol === 'https:'
}
