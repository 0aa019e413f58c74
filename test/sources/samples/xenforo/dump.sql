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
INSERT INTO `xf_user` VALUES
(1,'ada',0,0,'ada@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000001,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,1,0,0,0,0,1,'ssssssssssssssssssssssssssssssss',0,0),
(2,'zoë',0,0,'zoe@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000002,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(3,'old',0,0,'old@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000003,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(4,'older',0,0,'older@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000004,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(5,'vb',0,0,'vb@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000005,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(6,'ips',0,0,'ips@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000006,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(7,'phpbb',0,0,'phpbb@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000007,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(8,'smf',0,0,'smf@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000008,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(9,'edit',0,0,'edit@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000009,0,NULL,0,0,0,0,0,0,0,0,'','email_confirm_edit','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(10,'confirm',0,0,'confirm@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000010,0,NULL,0,0,0,0,0,0,0,0,'','email_confirm','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(11,'moderated',0,0,'moderated@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000011,0,NULL,0,0,0,0,0,0,0,0,'','moderated','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(12,'rejected',0,0,'rejected@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000012,0,NULL,0,0,0,0,0,0,0,0,'','rejected','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(13,'gone',0,0,'gone@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000013,0,NULL,0,0,0,0,0,0,0,0,'','disabled','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(14,'forever',0,0,'forever@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000014,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,1,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(15,'until',0,0,'until@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000015,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,1,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(16,'over',0,0,'over@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000016,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,1,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(17,'social',0,0,'social@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000017,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(18,'locked',0,0,'locked@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000018,0,NULL,0,0,0,0,0,0,0,0,'','valid','reset',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(19,'change',0,0,'change@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000019,0,NULL,0,0,0,0,0,0,0,0,'','valid','change',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0),
(20,'foreign',0,0,'foreign@xf.example','',1,0,'','Europe/London',1,1,2,'',0,2,0,0,0,1500000020,0,NULL,0,0,0,0,0,0,0,0,'','valid','',0,0,0,0,0,0,0,'ssssssssssssssssssssssssssssssss',0,0);
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
INSERT INTO `xf_user_authenticate` VALUES
(1,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$3r31WyRvvRkUOa6j5H9lSeoB73xsHY6CSOSrNlgEN5KxaBc.WhI.u\";}'),
(2,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$O6kAO5pdPLPuUoQ4rhrdPOI2TFhsvBr8ZXTrd8YYoE1eBQ5oGDqbi\";}'),
(3,'XF:Core','a:3:{s:4:\"hash\";s:64:\"fcf7a90d6d1f29e9d5f3de6ca9b70b740a0e678d5af2e74f4941db26fd49d95f\";s:4:\"salt\";s:64:\"b6941f0305dea921ad27c9dddc802c7dd55a53e4e6cd150242f63e12d6674105\";s:8:\"hashFunc\";s:6:\"sha256\";}'),
(4,'XF:Core','a:3:{s:4:\"hash\";s:40:\"c871c75f66721a6f2845f929e6d1b655086f755b\";s:4:\"salt\";s:40:\"f9d3eb2f967e0396e3e81196beef51745c3b0534\";s:8:\"hashFunc\";s:4:\"sha1\";}'),
(5,'XF:vBulletin','a:2:{s:4:\"hash\";s:32:\"ec67cd70687d65eeaac2d6c8faa43afc\";s:4:\"salt\";s:7:\"a\"b;\\\'c\";}'),
(6,'XF:IpsForums3x','a:2:{s:4:\"hash\";s:32:\"8aedc6e245096ecbe59bbd23cfae1542\";s:4:\"salt\";s:5:\"Xy$1%\";}'),
(7,'XF:PhpBb3','a:1:{s:4:\"hash\";s:34:\"$H$5abcdEFGHU5crrkTCix3BTOJbdVDJU.\";}'),
(8,'XF:SMF','a:2:{s:4:\"hash\";s:40:\"0343f5695cc7fbae720ab9ccd48a993043ab66a3\";s:8:\"username\";s:3:\"smf\";}'),
(9,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$rCI06MXqF3wWBd4fezQ9v.TWgiDO7ZTHjMy9vN3L0ETs05sFZ0suq\";}'),
(10,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$6BHvQhH.NUnUIVqlla.yXO1cQ1YmpAdaoQBGC37Ix.iAwy4Ei05dW\";}'),
(11,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$epf3c7ETexNLMxkKP93dWu813ODo9Xsi2EUeX81w3cRaUsAhyicYK\";}'),
(12,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$ZGZJVVd0MTGZX0KEsnTLcO0BhbkKiqg0QWQnZT9.LoC131nd.nwYa\";}'),
(13,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$dUGMkDxBVpf1Me6FhPEjQuI9icdlGgemMWhjxlkFtjdwxc9jl4oju\";}'),
(14,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$ZhQUBD1PlCt6FChwWvpVH.IAIiq3mclgfgJKo7ZLbPIx4UgP6WcQ2\";}'),
(15,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$/INSz5eYdNZ/5fd3YLfZhe9QdrhBI/CNchCM8jrVLEH3i1DDPGm.a\";}'),
(16,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$hutVr/wpBgL/HL8iwe.T0ePnpwp82WNqfIgvnTz1CT/Wnw8edSsye\";}'),
(17,'XF:NoPassword','a:0:{}'),
(18,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$BSIGHAJ3hbpyC0qnZ6HVteR44mdxUsFwB0fJ5a0rasxBS//9nYs/a\";}'),
(19,'XF:Core12','a:1:{s:4:\"hash\";s:60:\"$2y$04$TnLNsi7t3vKpgCEDkPu1ZO.xT1k3V6LQs1FB4Q.5sfjrz5dYIo0em\";}'),
(20,'Acme\\Auth:Legacy','a:1:{s:4:\"hash\";s:32:\"72b6e238ddbf2dd6c9ac612dda96dc4f\";}');
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
INSERT INTO `xf_user_ban` VALUES
(14,1,1550000000,0,'spam',0),
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
INSERT INTO `xf_user_connected_account` VALUES
(1,'google','110169484474386276334','a:1:{s:5:\"token\";s:1:\"x\";}'),
(17,'facebook','10001234','a:1:{s:5:\"token\";s:1:\"x\";}'),
(17,'github','583231','a:1:{s:5:\"token\";s:1:\"x\";}');
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
INSERT INTO `xf_user_option` VALUES
(1,1,0),
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
INSERT INTO `xf_user_tfa` VALUES
(1,1,'totp','a:1:{s:6:\"secret\";s:16:\"JBSWY3DPEHPK3PXP\";}',0),
(2,1,'backup','a:1:{s:5:\"codes\";a:1:{i:0;s:9:\"123456789\";}}',0);
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
