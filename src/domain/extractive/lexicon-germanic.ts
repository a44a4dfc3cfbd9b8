/** English, German and Dutch. */
import type { Entry } from './lexicon.js'

const EN_INTENT = '(?:(?:i|we)(?:’d|\'d| would)? (?:want|like|need|am going|are going)(?: now)? to|let us|let’s|let\'s|let me|' +
  '(?:i|we)(?:’ll|\'ll| will| shall)(?: now| next)?|(?:i|we) (?:now|next|then)|(?:now|next|then),? (?:i|we)|' +
  '(?:can|shall|could) (?:i|we)(?: now)?|' +
  '(?:that|this|which) (?:brings|takes|leads) (?:me|us)|(?:could|can|would) you)'
const EN_VERB = '(?:talk|speak|turn|move(?: on)?|go(?: on)?|walk|come|look|begin|start|continue|hear|deal|tell (?:you|us|me)|show you|' +
  'say (?:something|a few words|more)|explain(?: to you)?|discuss|describe|consider|take up|open)?'

export const ENGLISH: Entry = {
  stopWords: 'i we me myself you yourself him us ourselves am is are was were be been being do does did doing done have has had having ' +
    'will would shall should can could may might must not no nor if or because as until while at by for with about against between ' +
    'into through during before after above below to from up down in out on off over under again further here there when where why ' +
    'how all any both each few more most other some such only own same than too very just also even still yet already ever never ' +
    'always often really quite rather almost perhaps maybe well now then once said say says get gets got go goes going gone went ' +
    'come comes came make makes made take takes took put puts let lets see saw seen know knows knew think thinks thought want wants ' +
    'wanted like liked need needs tell tells told give gave given thing things something anything everything nothing one ones two ' +
    'three four five first second third last next lot lots much many little bit kind sort way ways good great better best new old ' +
    'big small long people person who whom whose which what yes yeah okay ok right oh um uh er don doesn didn isn aren wasn weren ' +
    'couldn wouldn shouldn can’t don’t doesn’t didn’t isn’t aren’t wasn’t i’m you’re we’re they’re it’s that’s there’s i’ve we’ve ' +
    'you’ve i’ll we’ll you’ll i’d we’d i\'m you\'re we\'re they\'re it\'s that\'s there\'s i\'ve we\'ve you\'ve i\'ll we\'ll you\'ll ' +
    'i\'d don\'t doesn\'t didn\'t isn\'t can\'t let\'s able around back every time times day days year years today',
  determiners: 'a an the my your his her its our their this that these those of some each every in',
  dangling: 'he she it they them this that these those and but so or then there also however therefore because which such his her ' +
    'its their otherwise instead besides again it’s that’s they’re he’s she’s it\'s that\'s they\'re he\'s she\'s another both',
  pronouns: 'it he she they him them',
  generic: 'people thing things one ones way ways day days time times year years man men woman women kind person lot bit part',
  references: '(?:after|before|because of|like|for|with|from|at|by|since|of|on|in|all of|most of|some of|none of) ' +
    '(?:that|this|these|those|them|it|here|which)|what (?:he|she|they|it)|in return',
  leadIns: 'well|okay|ok|right|yes|yeah|no|oh|finally|also|actually|basically|you know|i mean|of course|in fact|now|then|so|look|anyway',
  connectives: 'and|but|so(?! (?:much|many|far|that|long|called))|now(?! that)|then',
  sounds: 'u+h+m*|u+m+|e+r+m*|h+m+',
  asides: 'you know|i mean|sort of|kind of|like|basically|actually',
  announcement:
    `(?:${EN_INTENT} ${EN_VERB}(?: \\w+)?? ?(?:about|to|on to|onto|at|with|into|through|you)?|` +
    '\\b(?:first|second|third|fourth|fifth|sixth|next|last|final|main|other) (?:\\w+ )?' +
    '(?:thing|topic|point|item|part|question|subject|step|section|issue|one|matter|lesson|reason|rule)\\b.{0,24}?\\b' +
    '(?:is|was|concerns)(?: about)?|^(?:agenda )?item (?:number )?\\w+(?: is|,|:))',
  greetings: 'good (?:morning|afternoon|evening)|hello|hi|welcome|thank you|thanks|many thanks|you are welcome|you[’\']re welcome|bye|' +
    'goodbye|good bye|see you|ladies and gentlemen|dear',
  thanks: 'thank you (?:very|so) much|thank you for|thanks for|have a (?:wonderful|nice|good|great)|nice to (?:meet|talk|see)|good to ' +
    'be here|can you hear me|next slide|on the agenda|keep it short|minutes of the last meeting|any objections|are approved',
  impersonal: 'it (?:is|was|takes|would be|will be)\\b.*\\b(?:to|that|if|when|than)|there (?:is|are|was|were|will be)|it does not ' +
    'matter|this (?:year|week|month|morning|spring|summer|autumn|winter)',
  emphasis: 'never always must better best worst only every nobody everybody everyone nothing cannot can\'t can’t without change ' +
    'believe learn learned matter matters important remember truth love hope trust you if more than',
  weight: 'decided decision agreed approved result results important main key conclusion therefore means costs will must plan goal ' +
    'problem solution found shows because'
}

export const GERMAN: Entry = {
  stopWords: 'ich mich mir du dich dir uns euch man bin bist ist sind war waren wäre sein gewesen habe hast hat haben hatte hatten ' +
    'werde wird werden wurde wurden würde würden kann können konnte könnte muss müssen musste soll sollen sollte will wollen wollte ' +
    'darf dürfen mag möchte möchten nicht kein keine keinen keiner nichts wenn ob als wie wo was wer wen wem warum wann welche welcher ' +
    'mit ohne um zu zum zur von vom bei beim nach aus auf an am über unter vor hinter neben zwischen durch für gegen seit bis ab ' +
    'sehr mehr viel viele wenig wenige auch noch schon nur immer nie oft etwa etwas ganz gar mal ja nein doch eben halt hier da dort ' +
    'heute jetzt dann danach davor dabei dafür damit dazu davon daran darauf hin her gut gute guten neu neue neuen groß große großen ' +
    'klein kleine kleinen ein eins zwei drei vier fünf erste ersten zweite dritte letzte nächste machen macht gemacht gehen geht ging ' +
    'kommen kommt kam geben gibt gab sagen sagt gesagt sagte sehen sieht lassen lässt tun getan sache sachen ding dinge leute menschen ' +
    'jahr jahre jahren tag tage tagen mal zeit selbst wieder weil dass denn äh ähm so also',
  determiners: 'der die das den dem des einen einem einer eines mein meine meinen meinem meiner dein deine unser unsere unseren unserem ' +
    'unserer euer eure ihr ihre ihren ihrem ihrer seinen seine seinem seiner dieser diese dieses diesen diesem jeder jede jedes jeden ' +
    'im ins vom zum zur beim am',
  dangling: 'er sie es und aber oder so dann deshalb deswegen darum daher dort auch denn außerdem trotzdem dieser diese dieses das ' +
    'dabei dadurch damit danach dafür davon sonst jedoch allerdings sein seine ihr ihre',
  pronouns: 'er ihn ihm ihnen',
  references: '(?:nach|seit|mit|bei|in|an|aus|von|für|vor|wegen) (?:dies\\p{L}+|jen\\p{L}+)(?= (?:tag|zeit|jahr|moment|weise|fall))|' +
    'was (?:er|sie|es)|deren|dessen',
  leadIns: 'also|ja|nein|nun|jetzt|so|naja|na ja|gut|okay|schließlich|ehrlich gesagt|im grunde',
  connectives: 'und|aber',
  sounds: 'ä+h+m*|e+h+m*|ö+h+m*|h+m+',
  asides: 'sozusagen|quasi|sagen wir|ich meine|wissen sie',
  announcement:
    '(?:(?:möchte|möchten|will|wollen|werde|werden|würde) (?:ich|wir)(?: \\w+){0,3}? (?:über|von|zu|zum|zur|mit)|' +
    '(?:ich|wir) (?:möchte|möchten|will|wollen|werde|werden|spreche|sprechen|rede|reden)(?: \\w+){0,3}? (?:über|von|zum|zur|mit)|' +
    '(?:kommen wir|komme ich|gehen wir)(?: \\w+)? (?:zu|zum|zur|über)|' +
    '\\b(?:erste|ersten|zweite|zweiten|dritte|dritten|vierte|vierten|nächste|letzte) (?:\\w+ )?(?:thema|punkt|teil|' +
    'frage|sache|schritt)\\b' +
    '.{0,24}?\\b(?:ist|sind|war|betrifft)|\\bgeht es(?: \\w+){0,2}? um|^punkt \\w+(?: ist|,|:))',
  greetings: 'guten (?:morgen|tag|abend)|hallo|willkommen|herzlich willkommen|danke|vielen dank|auf wiedersehen|tschüss|meine damen|' +
    'liebe (?:freunde|gäste|kolleg\\p{L}*)',
  thanks: 'vielen dank|danke (?:schön|für)|schönen (?:tag|abend)|freut mich',
  impersonal: 'es (?:ist|war|gibt|gab|braucht|geht|dauert|kostet)|das (?:ganze|haus|kind|wasser|leben|jahr|wetter|geld|problem|' +
    'ergebnis|buch)',
  emphasis: 'nie niemals immer muss müssen besser beste nur jeder jede alle niemand nichts ohne glaube lernen gelernt wichtig wahrheit ' +
    'liebe hoffnung vertrauen wer wenn mehr als',
  weight: 'beschlossen entschieden entscheidung ergebnis ergebnisse wichtig hauptsache deshalb bedeutet kostet muss plan ziel problem ' +
    'lösung gefunden zeigt weil'
}

export const DUTCH: Entry = {
  stopWords: 'ik mij me jij je jou u wij we ons jullie men ben bent is zijn was waren geweest heb hebt heeft hebben had hadden word ' +
    'wordt worden werd werden zal zullen zou zouden kan kunnen kon konden moet moeten moest mag mogen wil willen wilde niet geen niets ' +
    'als of wanneer waar wat wie waarom hoe welke met zonder om te tot van bij naar uit op aan over onder voor achter naast tussen door ' +
    'tegen sinds heel erg meer veel weinig ook nog al alleen altijd nooit vaak iets ja nee hier daar vandaag nu dan toen goed goede ' +
    'nieuw nieuwe groot grote klein kleine één een twee drie vier vijf eerste tweede derde laatste volgende maken maakt gemaakt gaan ' +
    'gaat ging komen komt kwam geven geeft gaf zeggen zegt gezegd zei zien ziet laten laat doen doet gedaan ding dingen mensen jaar ' +
    'jaren dag dagen keer tijd zelf weer omdat dat want eh',
  determiners: 'de het een mijn jouw uw zijn haar ons onze hun deze dit die dat elke elk iedere ieder in van',
  dangling: 'hij zij ze het en maar of dus dan daarom daar ook want bovendien toch deze dit die dat zijn haar hun hierdoor daardoor ' +
    'daarna anders echter',
  pronouns: 'hij hem hen',
  references: '(?:na|met|sinds|door) (?:dat|dit|die|deze|hem)',
  leadIns: 'dus|nou|ja|nee|nu|goed|oké|dan|eigenlijk|eerlijk gezegd',
  connectives: 'en|maar',
  sounds: 'u+h+m*|e+h+m*|h+m+',
  asides: 'zeg maar|weet je|bedoel ik',
  announcement:
    '(?:(?:wil|willen|ga|gaan|zal|zullen) (?:ik|we|wij)(?: \\w+){0,3}? (?:over|naar|met)|' +
    '(?:ik|we|wij) (?:wil|willen|ga|gaan|zal|zullen)(?: \\w+){0,3}? (?:over|naar|met)|' +
    '\\b(?:eerste|tweede|derde|vierde|volgende|laatste) (?:\\w+ )?(?:ding|onderwerp|punt|deel|vraag|stap)\\b.{0,24}?\\b(?:is|gaat over)|' +
    '\\bgaat het(?: \\w+){0,2}? over)',
  greetings: 'goedemorgen|goedemiddag|goedenavond|hallo|welkom|dank|bedankt|tot ziens|dames en heren',
  thanks: 'dank u wel|dank je wel|bedankt voor|fijne avond',
  impersonal: 'er (?:is|zijn|was|waren)|het (?:is|was|kost|duurt)\\b.*\\b(?:om|dat|als)',
  emphasis: 'nooit altijd moet beter beste alleen iedereen niemand niets zonder geloof leren geleerd belangrijk waarheid liefde hoop ' +
    'vertrouwen wie als meer dan',
  weight: 'besloten besluit resultaat belangrijk daarom betekent kost moet plan doel probleem oplossing gevonden omdat'
}
