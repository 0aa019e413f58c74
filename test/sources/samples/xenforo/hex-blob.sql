/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: xf
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `xf_user`
--

DROP TABLE IF EXISTS `xf_user`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `xf_user` (
  `user_id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `username` varchar(50) NOT NULL,
  `username_date` int(10) unsigned NOT NULL DEFAULT 0,
  `username_date_visible` int(10) unsigned NOT NULL DEFAULT 0,
  `email` varchar(120) NOT NULL,
  `custom_title` varchar(50) NOT NULL DEFAULT '',
  `language_id` int(10) unsigned NOT NULL,
  `style_id` int(10) unsigned NOT NULL COMMENT '0 = use system default',
  `style_variation` varchar(50) NOT NULL DEFAULT '',
  `timezone` varchar(50) NOT NULL COMMENT 'Example: ''Europe/London''',
  `visible` tinyint(3) unsigned NOT NULL DEFAULT 1,
  `activity_visible` tinyint(3) unsigned NOT NULL DEFAULT 1,
  `user_group_id` int(10) unsigned NOT NULL,
  `secondary_group_ids` varbinary(255) NOT NULL,
  `display_style_group_id` int(10) unsigned NOT NULL DEFAULT 0,
  `permission_combination_id` int(10) unsigned NOT NULL,
  `message_count` int(10) unsigned NOT NULL DEFAULT 0,
  `question_solution_count` int(10) unsigned NOT NULL DEFAULT 0,
  `conversations_unread` smallint(5) unsigned NOT NULL DEFAULT 0,
  `register_date` int(10) unsigned NOT NULL DEFAULT 0,
  `last_activity` int(10) unsigned NOT NULL DEFAULT 0,
  `last_summary_email_date` int(10) unsigned DEFAULT NULL,
  `trophy_points` int(10) unsigned NOT NULL DEFAULT 0,
  `alerts_unviewed` smallint(5) unsigned NOT NULL DEFAULT 0,
  `alerts_unread` smallint(5) unsigned NOT NULL DEFAULT 0,
  `avatar_date` int(10) unsigned NOT NULL DEFAULT 0,
  `avatar_width` smallint(5) unsigned NOT NULL DEFAULT 0,
  `avatar_height` smallint(5) unsigned NOT NULL DEFAULT 0,
  `avatar_highdpi` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `avatar_optimized` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `gravatar` varchar(120) NOT NULL DEFAULT '',
  `user_state` enum('valid','email_confirm','email_confirm_edit','moderated','email_bounce','rejected','disabled') NOT NULL DEFAULT 'valid',
  `security_lock` enum('','change','reset') NOT NULL DEFAULT '',
  `is_moderator` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `is_admin` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `is_banned` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `reaction_score` int(11) NOT NULL DEFAULT 0,
  `vote_score` int(11) NOT NULL DEFAULT 0,
  `warning_points` int(10) unsigned NOT NULL DEFAULT 0,
  `is_staff` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `secret_key` varbinary(32) NOT NULL,
  `privacy_policy_accepted` int(10) unsigned NOT NULL DEFAULT 0,
  `terms_accepted` int(10) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`user_id`),
  UNIQUE KEY `username` (`username`),
  KEY `email` (`email`),
  KEY `user_state` (`user_state`)
) ENGINE=InnoDB AUTO_INCREMENT=21 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `xf_user`
--

LOCK TABLES `xf_user` WRITE;
/*!40000 ALTER TABLE `xf_user` DISABLE KEYS */;
INSERT INTO `xf_user` (`user_id`, `username`, `username_date`, `username_date_visible`, `email`, `custom_title`, `language_id`, `style_id`, `style_variation`, `timezone`, `visible`, `activity_visible`, `user_group_id`, `secondary_group_ids`, `display_style_group_id`, `permission_combination_id`, `message_count`, `question_solution_count`, `conversations_unread`, `register_date`, `last_activity`, `last_summary_email_date`, `trophy_points`, `alerts_unviewed`, `alerts_unread`, `avatar_date`, `avatar_width`, `avatar_height`, `avatar_highdpi`, `avatar_optimized`, `gravatar`, `user_state`, `security_lock`, `is_moderator`, `is_admin`, `is_banned`, `reaction_score`, `vote_score`, `warning_points`, `is_staff`, `secret_key`, `privacy_policy_accepted`, `terms_accepted`) VALUES (1,'ada',0,0,'ada@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000001,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,1,0,0,0,0,1,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(2,'zoë',0,0,'zoe@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000002,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(3,'old',0,0,'old@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000003,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(4,'older',0,0,'older@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000004,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(5,'vb',0,0,'vb@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000005,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(6,'ips',0,0,'ips@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000006,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(7,'phpbb',0,0,'phpbb@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000007,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(8,'smf',0,0,'smf@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000008,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(9,'edit',0,0,'edit@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000009,0,NULL,0,0,0,0,0,0,0,0,'','email_confirm_edit','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(10,'confirm',0,0,'confirm@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000010,0,NULL,0,0,0,0,0,0,0,0,'','email_confirm','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(11,'moderated',0,0,'moderated@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000011,0,NULL,0,0,0,0,0,0,0,0,'','moderated','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(12,'rejected',0,0,'rejected@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000012,0,NULL,0,0,0,0,0,0,0,0,'','rejected','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(13,'gone',0,0,'gone@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000013,0,NULL,0,0,0,0,0,0,0,0,'','disabled','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(14,'forever',0,0,'forever@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000014,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,1,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(15,'until',0,0,'until@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000015,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,1,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(16,'over',0,0,'over@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000016,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,1,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(17,'social',0,0,'social@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000017,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(18,'locked',0,0,'locked@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000018,0,NULL,0,0,0,0,0,0,0,0,'','valid','reset',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(19,'change',0,0,'change@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000019,0,NULL,0,0,0,0,0,0,0,0,'','valid','change',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0),
(20,'foreign',0,0,'foreign@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000020,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,0x7373737373737373737373737373737373737373737373737373737373737373,0,0);
/*!40000 ALTER TABLE `xf_user` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `xf_user_authenticate`
--

DROP TABLE IF EXISTS `xf_user_authenticate`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `xf_user_authenticate` (
  `user_id` int(10) unsigned NOT NULL,
  `scheme_class` varchar(100) NOT NULL,
  `data` mediumblob NOT NULL,
  PRIMARY KEY (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `xf_user_authenticate`
--

LOCK TABLES `xf_user_authenticate` WRITE;
/*!40000 ALTER TABLE `xf_user_authenticate` DISABLE KEYS */;
INSERT INTO `xf_user_authenticate` (`user_id`, `scheme_class`, `data`) VALUES (1,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A2224327924303424337233315779527676526B554F61366A3548396C53656F423733787348593643534F53724E6C67454E354B786142632E5768492E75223B7D),
(2,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A22243279243034244F366B414F357064504C5075556F513472687264504F493254466873764272385A585472643859596F4531654251356F4744716269223B7D),
(3,'XF:Core',0x613A333A7B733A343A2268617368223B733A36343A2266636637613930643664316632396539643566336465366361396237306237343061306536373864356166326537346634393431646232366664343964393566223B733A343A2273616C74223B733A36343A2262363934316630333035646561393231616432376339646464633830326337646435356135336534653663643135303234326636336531326436363734313035223B733A383A226861736846756E63223B733A363A22736861323536223B7D),
(4,'XF:Core',0x613A333A7B733A343A2268617368223B733A34303A2263383731633735663636373231613666323834356639323965366431623635353038366637353562223B733A343A2273616C74223B733A34303A2266396433656232663936376530333936653365383131393662656566353137343563336230353334223B733A383A226861736846756E63223B733A343A2273686131223B7D),
(5,'XF:vBulletin',0x613A323A7B733A343A2268617368223B733A33323A226563363763643730363837643635656561616332643663386661613433616663223B733A343A2273616C74223B733A373A226122623B5C2763223B7D),
(6,'XF:IpsForums3x',0x613A323A7B733A343A2268617368223B733A33323A223861656463366532343530393665636265353962626432336366616531353432223B733A343A2273616C74223B733A353A225879243125223B7D),
(7,'XF:PhpBb3',0x613A313A7B733A343A2268617368223B733A33343A2224482435616263644546474855356372726B544369783342544F4A626456444A552E223B7D),
(8,'XF:SMF',0x613A323A7B733A343A2268617368223B733A34303A2230333433663536393563633766626165373230616239636364343861393933303433616236366133223B733A383A22757365726E616D65223B733A333A22736D66223B7D),
(9,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A222432792430342472434930364D58714633775742643466657A5139762E54576769444F375A54486A4D7939764E334C30455473303573465A30737571223B7D),
(10,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A2224327924303424364248765168482E4E556E554956716C6C612E79584F31635131596D704164616F51424743333749782E6941777934456930356457223B7D),
(11,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A2224327924303424657066336337455465784E4C4D786B4B5039336457753831334F446F3958736932455565583831773363526155734168796963594B223B7D),
(12,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A22243279243034245A475A4A565664304D54475A58304B45736E544C634F304268626B4B697167305157516E5A54392E4C6F433133316E642E6E775961223B7D),
(13,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A22243279243034246455474D6B447842567066314D6536466850456A517549396963646C4767656D4D57686A786C6B46746A64777863396A6C346F6A75223B7D),
(14,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A22243279243034245A685155424431506C4374364643687757767056482E4941496971336D636C6766674A4B6F375A4C62504978345567503657635132223B7D),
(15,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A22243279243034242F494E537A356559644E5A2F35666433594C665A6865395164726842492F434E6368434D386A72564C4548336931444450476D2E61223B7D),
(16,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A222432792430342468757456722F777042674C2F484C386977652E543065506E7077703832574E71664967766E547A3143542F576E7738656453737965223B7D),
(17,'XF:NoPassword',0x613A303A7B7D),
(18,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A22243279243034244253494748414A33686270794330716E5A36485674655234346D6478557346774230664A3561307261737842532F2F396E59732F61223B7D),
(19,'XF:Core12',0x613A313A7B733A343A2268617368223B733A36303A2224327924303424546E4C4E7369377433764B70674345446B5075315A4F2E7854316B3356364C517331464234512E3573666A727A356459496F30656D223B7D),
(20,'Acme\\Auth:Legacy',0x613A313A7B733A343A2268617368223B733A33323A223732623665323338646462663264643663396163363132646461393664633466223B7D);
/*!40000 ALTER TABLE `xf_user_authenticate` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `xf_user_ban`
--

DROP TABLE IF EXISTS `xf_user_ban`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `xf_user_ban` (
  `user_id` int(10) unsigned NOT NULL,
  `ban_user_id` int(10) unsigned NOT NULL,
  `ban_date` int(10) unsigned NOT NULL DEFAULT 0,
  `end_date` int(10) unsigned NOT NULL DEFAULT 0,
  `user_reason` varchar(255) NOT NULL,
  `triggered` tinyint(3) unsigned NOT NULL DEFAULT 1,
  PRIMARY KEY (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `xf_user_ban`
--

LOCK TABLES `xf_user_ban` WRITE;
/*!40000 ALTER TABLE `xf_user_ban` DISABLE KEYS */;
INSERT INTO `xf_user_ban` (`user_id`, `ban_user_id`, `ban_date`, `end_date`, `user_reason`, `triggered`) VALUES (14,1,1550000000,0,'spam',0),
(15,1,1550000000,4102444800,'spam',0),
(16,1,1550000000,1600000000,'spam',0);
/*!40000 ALTER TABLE `xf_user_ban` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `xf_user_connected_account`
--

DROP TABLE IF EXISTS `xf_user_connected_account`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `xf_user_connected_account` (
  `user_id` int(10) unsigned NOT NULL,
  `provider` varbinary(25) NOT NULL,
  `provider_key` varbinary(150) NOT NULL,
  `extra_data` mediumblob NOT NULL,
  PRIMARY KEY (`user_id`,`provider`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `xf_user_connected_account`
--

LOCK TABLES `xf_user_connected_account` WRITE;
/*!40000 ALTER TABLE `xf_user_connected_account` DISABLE KEYS */;
INSERT INTO `xf_user_connected_account` (`user_id`, `provider`, `provider_key`, `extra_data`) VALUES (1,0x676F6F676C65,0x313130313639343834343734333836323736333334,0x613A313A7B733A353A22746F6B656E223B733A313A2278223B7D),
(17,0x66616365626F6F6B,0x3130303031323334,0x613A313A7B733A353A22746F6B656E223B733A313A2278223B7D),
(17,0x676974687562,0x353833323331,0x613A313A7B733A353A22746F6B656E223B733A313A2278223B7D);
/*!40000 ALTER TABLE `xf_user_connected_account` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `xf_user_option`
--

DROP TABLE IF EXISTS `xf_user_option`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `xf_user_option` (
  `user_id` int(10) unsigned NOT NULL,
  `show_dob_year` tinyint(3) unsigned NOT NULL DEFAULT 1,
  `use_tfa` tinyint(3) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `xf_user_option`
--

LOCK TABLES `xf_user_option` WRITE;
/*!40000 ALTER TABLE `xf_user_option` DISABLE KEYS */;
INSERT INTO `xf_user_option` (`user_id`, `show_dob_year`, `use_tfa`) VALUES (1,1,0),
(2,1,0),
(3,1,0),
(4,1,0),
(5,1,0),
(6,1,0),
(7,1,0),
(8,1,0),
(9,1,0),
(10,1,0),
(11,1,0),
(12,1,0),
(13,1,0),
(14,1,0),
(15,1,0),
(16,1,0),
(17,1,0),
(18,1,0),
(19,1,0),
(20,1,0);
/*!40000 ALTER TABLE `xf_user_option` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `xf_user_tfa`
--

DROP TABLE IF EXISTS `xf_user_tfa`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `xf_user_tfa` (
  `user_tfa_id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `user_id` int(10) unsigned NOT NULL,
  `provider_id` varbinary(25) NOT NULL,
  `provider_data` mediumblob NOT NULL,
  `last_used_date` int(10) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`user_tfa_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `xf_user_tfa`
--

LOCK TABLES `xf_user_tfa` WRITE;
/*!40000 ALTER TABLE `xf_user_tfa` DISABLE KEYS */;
INSERT INTO `xf_user_tfa` (`user_tfa_id`, `user_id`, `provider_id`, `provider_data`, `last_used_date`) VALUES (1,1,0x746F7470,0x613A313A7B733A363A22736563726574223B733A31363A224A425357593344504548504B33505850223B7D,0),
(2,1,0x6261636B7570,0x613A313A7B733A353A22636F646573223B613A313A7B693A303B733A393A22313233343536373839223B7D7D,0);
/*!40000 ALTER TABLE `xf_user_tfa` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-28 20:38:30
