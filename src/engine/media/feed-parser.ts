/** Podcast feeds, RSS and Atom: finds the newest episode and its sound. Runs in a program of its own, see `parse-apart.ts`. */
import { XMLParser } from 'fast-xml-parser'
import { JobFailure } from '../../domain/errors.js'
import { toRecordingName } from '../../domain/recording-name.js'
import type { SourceFacts } from '../../domain/source.js'

export type Episode = SourceFacts & { url: string }

type Node = { [name: string]: unknown }

/** Elements that may occur once or several times. */
const LISTS = new Set(['item', 'entry', 'enclosure', 'link', 'media:content'])

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  // Only the entities of XML and HTML; `parse` refuses feeds that declare their own.
  processEntities: true,
  htmlEntities: true,
  ignorePiTags: true,
  isArray: (name) => LISTS.has(name)
})

const asNode = (value: unknown): Node => typeof value === 'object' && value !== null ? value as Node : {}
const asNodes = (value: unknown): Node[] => Array.isArray(value) ? value.map(asNode) : []

/** The text of an element, with or without attributes; of several elements, the first. */
function asText (value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  const text = typeof first === 'object' && first !== null ? (first as Node)['#text'] : first
  return typeof text === 'string' ? text : undefined
}

const isMedia = (node: Node): boolean =>
  /^(audio|video)\//i.test(asText(node['@type']) ?? '') || /^(audio|video)$/i.test(asText(node['@medium']) ?? '')

/** The address of an episode's sound. Prefers links marked as audio or video; enclosures of unknown type count too. */
function findSound (item: Node): string | undefined {
  const enclosures = asNodes(item['enclosure']).map((node) => ({ node, url: asText(node['@url']) }))
  const links = asNodes(item['link'])
    .filter((node) => asText(node['@rel']) === 'enclosure')
    .map((node) => ({ node, url: asText(node['@href']) }))
  const contents = asNodes(item['media:content']).filter(isMedia).map((node) => ({ node, url: asText(node['@url']) }))
  const found = [...enclosures, ...links, ...contents].filter(
    ({ url, node }) => url && !/^(image|text)\//i.test(asText(node['@type']) ?? '')
  )
  return (found.find(({ node }) => isMedia(node)) ?? found[0])?.url
}

function toEpisode (item: Node, feedUrl: string): Episode | undefined {
  const url = findSound(item)?.trim()
  if (url === undefined || !URL.canParse(url, feedUrl)) return undefined
  const publishedAt = Date.parse(
    asText(item['pubDate']) ?? asText(item['published']) ?? asText(item['dc:date']) ?? asText(item['updated']) ?? ''
  )
  const address = new URL(url, feedUrl)
  // Drop the fragment, as for addresses from callers: yt-dlp reads options from it.
  address.hash = ''
  return {
    url: address.href,
    title: toRecordingName(asText(item['title'])),
    publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt
  }
}

function parse (text: string): Node {
  // A feed's own entities can expand a short document enormously or read a file. No podcast needs them.
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new JobFailure('source_unsupported', 'the feed declares a document type')
  try {
    return asNode(parser.parse(text))
  } catch (cause) {
    throw new JobFailure('source_unsupported', 'the feed is not XML', { cause })
  }
}

/** The newest episode with sound; the first one if none has a date. Throws `JobFailure`: source_unsupported. */
export function findNewestEpisode (text: string, feedUrl: string): Episode {
  const root = parse(text)
  const rss = asNode(asNode(root['rss'])['channel'])
  const items = [...asNodes(rss['item']), ...asNodes(asNode(root['feed'])['entry']), ...asNodes(asNode(root['rdf:RDF'])['item'])]
  const [newest] = items.map((item) => toEpisode(item, feedUrl))
    .filter((episode) => episode !== undefined)
    .sort((a, b) => (b.publishedAt ?? -Infinity) - (a.publishedAt ?? -Infinity) || 0)
  if (!newest) throw new JobFailure('source_unsupported', 'the feed has no episode with sound')
  return newest
}
